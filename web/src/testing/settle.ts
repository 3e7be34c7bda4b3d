import type { ComponentFixture } from '@angular/core/testing';

/** Lets promises and renders that depend on each other come to rest; for real timers. */
export async function settled(fixture: ComponentFixture<unknown>): Promise<HTMLElement> {
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => setTimeout(resolve));
    await fixture.whenStable();
  }
  return fixture.nativeElement as HTMLElement;
}

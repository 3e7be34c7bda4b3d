import { DestroyRef, Directive, ElementRef, inject, signal } from '@angular/core';

/** This close to the end counts as reading along. */
const nearPx = 64;

/** A scroller that follows its growing content only while the reader is at its end. */
@Directive({
  selector: '[soaiStickToBottom]',
  exportAs: 'stick',
  host: { '(scroll)': 'look()' },
})
export class StickToBottom {
  private readonly scroller = inject<ElementRef<HTMLElement>>(ElementRef).nativeElement;
  private readonly near = signal(true);
  readonly atBottom = this.near.asReadonly();

  constructor() {
    const observer = new ResizeObserver(() => {
      if (this.near()) this.jump();
    });
    observer.observe(this.scroller);
    const content = new MutationObserver(() => this.observeContent(observer));
    content.observe(this.scroller, { childList: true });
    this.observeContent(observer);
    inject(DestroyRef).onDestroy(() => {
      observer.disconnect();
      content.disconnect();
    });
  }

  jump(): void {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.near.set(true);
  }

  protected look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.near.set(scrollHeight - scrollTop - clientHeight <= nearPx);
  }

  private observeContent(observer: ResizeObserver): void {
    for (const child of this.scroller.children) observer.observe(child);
  }
}

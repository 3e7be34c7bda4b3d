import { LiveAnnouncer } from '@angular/cdk/a11y';
import { Component, DestroyRef, inject, input, signal } from '@angular/core';
import { copyText } from './clipboard';
import { Icon } from './icon';

@Component({
  selector: 'soai-copy',
  imports: [Icon],
  template: `
    <button type="button" [attr.aria-label]="'Copy ' + what()" (click)="copy()">
      <soai-icon [name]="result() === 'copied' ? 'check' : 'copy'" />
      <span aria-hidden="true">{{ caption() }}</span>
    </button>
  `,
  styleUrl: './copy-button.scss',
})
export class CopyButton {
  private readonly announcer = inject(LiveAnnouncer);
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly text = input.required<string>();
  /** Completes the button's name: "Copy request id". */
  readonly what = input.required<string>();
  protected readonly result = signal<'none' | 'copied' | 'refused'>('none');

  constructor() {
    inject(DestroyRef).onDestroy(() => clearTimeout(this.timer));
  }

  protected caption(): string {
    return { none: 'Copy', copied: 'Copied', refused: 'Not allowed' }[this.result()];
  }

  protected async copy(): Promise<void> {
    const copied = await copyText(this.text());
    this.result.set(copied ? 'copied' : 'refused');
    void this.announcer.announce(copied ? 'Copied' : 'The browser refused to copy', 'polite');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.result.set('none'), 2_000);
  }
}

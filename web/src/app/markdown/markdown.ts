import { Component, computed, input } from '@angular/core';
import { blocksOf } from './blocks';
import { MarkdownBlocks } from './markdown-blocks';

/** Untrusted Markdown. While it streams, only the blocks whose HTML changed are touched. */
@Component({
  selector: 'soai-markdown',
  imports: [MarkdownBlocks],
  template: `<soai-markdown-blocks [blocks]="blocks()" />`,
})
export class Markdown {
  readonly text = input.required<string>();
  protected readonly blocks = computed(() => blocksOf(this.text()));
}

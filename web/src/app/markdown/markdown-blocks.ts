import { Component, input } from '@angular/core';
import type { Block } from './blocks';
import { CodeBlock } from './code-block';

@Component({
  selector: 'soai-markdown-blocks',
  imports: [CodeBlock],
  template: `
    @for (block of blocks(); track $index) {
      @switch (block.kind) {
        @case ('html') {
          <div class="prose" [innerHTML]="block.html"></div>
        }
        @case ('code') {
          <soai-code-block [text]="block.text" [language]="block.language" />
        }
        @case ('quote') {
          <blockquote><soai-markdown-blocks [blocks]="block.blocks" /></blockquote>
        }
        @case ('list') {
          @if (block.ordered) {
            <ol [attr.start]="block.start">
              @for (item of block.items; track $index) {
                <li><soai-markdown-blocks [blocks]="item" /></li>
              }
            </ol>
          } @else {
            <ul>
              @for (item of block.items; track $index) {
                <li><soai-markdown-blocks [blocks]="item" /></li>
              }
            </ul>
          }
        }
      }
    }
  `,
  styleUrl: './markdown-blocks.scss',
})
export class MarkdownBlocks {
  readonly blocks = input.required<readonly Block[]>();
}

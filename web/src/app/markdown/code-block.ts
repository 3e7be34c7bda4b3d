import { Component, input } from '@angular/core';
import { CopyButton } from '../ui/copy-button';

@Component({
  selector: 'soai-code-block',
  imports: [CopyButton],
  template: `
    <div class="bar">
      <span>{{ language() || 'Text' }}</span>
      <soai-copy [text]="text()" what="code" />
    </div>
    <pre tabindex="0" role="region" [attr.aria-label]="(language() || 'Text') + ' code'"><code>{{ text() }}</code></pre>
  `,
  styles: `
    :host {
      display: block;
      overflow: hidden;
      border: 1px solid var(--soai-card-border);
      border-radius: 10px;
      background: var(--soai-code);
    }
    .bar {
      display: flex;
      align-items: center;
      justify-content: space-between;
      padding: 3px 6px 3px 14px;
      border-bottom: 1px solid var(--soai-card-border);
      color: var(--soai-muted);
      font-size: 12.5px;
    }
    pre {
      padding: 12px 14px;
      overflow-x: auto;
      line-height: 1.5;
    }
  `,
})
export class CodeBlock {
  readonly text = input.required<string>();
  readonly language = input.required<string>();
}

import { Component, input } from '@angular/core';

/** What the pages before the door have in common. */
@Component({
  selector: 'soai-entrance',
  template: `
    <main>
      <p class="brand"><img src="/favicon.svg" alt="" width="32" height="32" /> SoAI</p>
      <section class="card">
        <h1 tabindex="-1">{{ title() }}</h1>
        <ng-content />
      </section>
    </main>
  `,
  styleUrl: './entrance-frame.scss',
})
export class EntranceFrame {
  readonly title = input.required<string>();
}

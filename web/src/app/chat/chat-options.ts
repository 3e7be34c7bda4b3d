import { Component, input, output } from '@angular/core';
import type { ChatOptions as Options } from './conversation';

@Component({
  selector: 'soai-chat-options',
  template: `
    <div class="field system">
      <label for="system">System prompt</label>
      <textarea
        id="system"
        class="control"
        rows="2"
        placeholder="How the model is to behave"
        [value]="options().system"
        (input)="changed.emit({ system: $any($event.target).value })"
      ></textarea>
    </div>
    <div class="field">
      <label for="temperature">Temperature</label>
      <input
        id="temperature"
        class="control"
        type="number"
        inputmode="decimal"
        min="0"
        max="2"
        step="0.1"
        placeholder="Default"
        aria-describedby="temperature-note"
        [value]="options().temperature ?? ''"
        (input)="changed.emit({ temperature: number($any($event.target), 0, 2) })"
      />
      <span class="note" id="temperature-note">0 to 2; lower is steadier</span>
    </div>
    <div class="field">
      <label for="max-tokens">Longest answer</label>
      <input
        id="max-tokens"
        class="control"
        type="number"
        inputmode="numeric"
        min="1"
        step="1"
        placeholder="Default"
        aria-describedby="max-tokens-note"
        [value]="options().maxTokens ?? ''"
        (input)="changed.emit({ maxTokens: number($any($event.target), 1, 1000000) })"
      />
      <span class="note" id="max-tokens-note">in tokens</span>
    </div>
  `,
  styles: `
    :host {
      display: grid;
      grid-template-columns: minmax(0, 1fr) 150px 150px;
      gap: 12px 16px;
      align-items: start;
    }
    textarea {
      resize: vertical;
    }
    @media (max-width: 719px) {
      :host {
        grid-template-columns: 1fr 1fr;
      }
      .system {
        grid-column: 1 / -1;
      }
    }
  `,
})
export class ChatOptions {
  readonly options = input.required<Options>();
  readonly changed = output<Partial<Options>>();

  /** null for an empty field or one outside its bounds, which the browser marks. */
  protected number(field: HTMLInputElement, min: number, max: number): number | null {
    const value = field.valueAsNumber;
    const valid = Number.isFinite(value) && value >= min && value <= max;
    field.setAttribute('aria-invalid', String(field.value !== '' && !valid));
    return valid ? value : null;
  }
}

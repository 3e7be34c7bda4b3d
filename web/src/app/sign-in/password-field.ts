import { Component, input, model, signal } from '@angular/core';
import { Icon } from '../ui/icon';

/** A password with a way to look at it, which replaces typing it twice. */
@Component({
  selector: 'soai-password-field',
  imports: [Icon],
  template: `
    <div class="field">
      <label for="password">{{ label() }}</label>
      <div class="line">
        <input
          id="password"
          class="control"
          name="password"
          required
          maxlength="1024"
          [type]="shown() ? 'text' : 'password'"
          [autocomplete]="autocomplete()"
          [value]="value()"
          [attr.aria-describedby]="describedBy() || null"
          (input)="value.set($any($event.target).value)"
        />
        <button
          type="button"
          [attr.aria-label]="shown() ? 'Hide the password' : 'Show the password'"
          [attr.aria-pressed]="shown()"
          (click)="shown.set(!shown())"
        >
          <soai-icon [name]="shown() ? 'eye-off' : 'eye'" />
        </button>
      </div>
    </div>
  `,
  styles: `
    .line {
      position: relative;
    }
    .control {
      padding-right: 48px;
    }
    button {
      position: absolute;
      inset: 2px 2px 2px auto;
      display: grid;
      place-items: center;
      width: 40px;
      border: 0;
      border-radius: 6px;
      background: none;
      color: var(--soai-muted);
      cursor: pointer;
    }
  `,
})
export class PasswordField {
  readonly label = input.required<string>();
  readonly autocomplete = input.required<'current-password' | 'new-password'>();
  readonly describedBy = input('');
  readonly value = model.required<string>();
  protected readonly shown = signal(false);
}

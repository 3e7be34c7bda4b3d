import { Component, computed, input, linkedSignal, output } from '@angular/core';
import { MatAutocomplete, MatAutocompleteTrigger, MatOption } from '@angular/material/autocomplete';
import type { ListedModel } from '../api/model-api';
import { Icon } from '../ui/icon';

/** Type to search; what is typed but not chosen is dropped. */
@Component({
  selector: 'soai-model-picker',
  imports: [MatAutocomplete, MatAutocompleteTrigger, MatOption, Icon],
  template: `
    <input
      #field
      class="control"
      type="text"
      aria-label="Model"
      spellcheck="false"
      autocapitalize="none"
      [matAutocomplete]="list"
      [value]="typed() ?? model()"
      (focus)="field.select()"
      (input)="typed.set(field.value)"
      (blur)="field.value = model(); typed.set(null)"
    />
    <soai-icon name="down" />
    <mat-autocomplete
      #list
      autoActiveFirstOption
      hideSingleSelectionIndicator
      (optionSelected)="choose($event.option.value, field)"
    >
      @for (each of matching(); track each.id) {
        <mat-option [value]="each.id">{{ each.id }}</mat-option>
      } @empty {
        <mat-option disabled>No model has “{{ typed() }}” in its name</mat-option>
      }
    </mat-autocomplete>
  `,
  styleUrl: './model-picker.scss',
})
export class ModelPicker {
  readonly models = input.required<readonly ListedModel[]>();
  readonly model = input.required<string>();
  readonly chosen = output<string>();

  /** null while nothing is being searched for. */
  protected readonly typed = linkedSignal<string, string | null>({ source: this.model, computation: () => null });
  protected readonly matching = computed(() => {
    const part = this.typed()?.trim().toLowerCase() ?? '';
    return this.models().filter((model) => model.id.toLowerCase().includes(part));
  });

  protected choose(id: string, field: HTMLInputElement): void {
    this.typed.set(null);
    this.chosen.emit(id);
    field.blur();
  }
}

import { Component, computed, input, output } from '@angular/core';
import { CopyButton } from '../ui/copy-button';
import { Icon } from '../ui/icon';
import { AnswerView } from './answer-view';
import { isRunning, shownAnswer, type Turn } from './conversation';

@Component({
  selector: 'soai-turn',
  imports: [AnswerView, CopyButton, Icon],
  templateUrl: './turn-view.html',
  styleUrl: './turn-view.scss',
})
export class TurnView {
  readonly turn = input.required<Turn>();
  /** Only the last turn can be edited or retried: what follows depends on it. */
  readonly last = input.required<boolean>();
  readonly retried = output<void>();
  readonly edited = output<void>();
  readonly versionShown = output<number>();

  protected readonly answer = computed(() => shownAnswer(this.turn()));
  protected readonly running = computed(() => isRunning(this.answer()));
}

import { Component, computed, input } from '@angular/core';
import type { TaskDetail } from '../api/contract';
import { Ago } from '../ui/ago';
import { CopyButton } from '../ui/copy-button';
import { duration } from '../ui/duration';
import { isEnded, operations } from '../words/task-words';

const count = new Intl.NumberFormat();

interface Fact {
  name: string;
  value: string;
}

@Component({
  selector: 'soai-task-facts',
  imports: [Ago, CopyButton],
  template: `
    @let it = task();
    <section aria-labelledby="facts-title">
      <h2 id="facts-title">Facts</h2>
      <dl>
        @for (fact of facts(); track fact.name) {
          <dt>{{ fact.name }}</dt>
          <dd>{{ fact.value }}</dd>
        }
        @if (!ended()) {
          <dt>Deadline</dt>
          <dd><soai-ago [at]="it.deadline_at" /></dd>
        }
        <dt>Request</dt>
        <dd>
          <code>{{ it.request_id }}</code> <soai-copy [text]="it.request_id" what="request id" />
        </dd>
      </dl>
    </section>
  `,
  styleUrl: './task-facts.scss',
})
export class TaskFacts {
  readonly task = input.required<TaskDetail>();
  protected readonly ended = computed(() => isEnded(this.task().state));

  protected readonly facts = computed<Fact[]>(() => {
    const {
      operation,
      account,
      owner,
      served_by: servedBy,
      usage,
      first_token_ms: firstToken,
      bad_lines: badLines,
    } = this.task();
    return [
      fact('Kind', operations[operation]),
      fact('Account', owner.kind === 'account' ? account : `${account} (${owner.kind} ${owner.id})`),
      fact('Served by', servedBy && `${servedBy.model} on ${servedBy.plugin}`),
      fact('First token', firstToken === null ? null : `after ${duration(firstToken)}`),
      fact('Prompt', tokens(usage?.prompt_tokens, usage?.cached_tokens, 'cached')),
      fact('Answer', tokens(usage?.completion_tokens, usage?.reasoning_tokens, 'reasoning')),
      fact('Bad lines', badLines > 0 ? `${badLines} dropped from the backend’s stream` : null),
    ].filter((each): each is Fact => each.value !== null);
  });
}

function fact(name: string, value: string | null): { name: string; value: string | null } {
  return { name, value };
}

function tokens(total: number | null | undefined, part: number | null | undefined, partName: string): string | null {
  if (total == null) return null;
  return `${count.format(total)} tokens${part ? `, ${count.format(part)} ${partName}` : ''}`;
}

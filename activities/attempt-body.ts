/** The client's body of a run: from memory, or from the ledger for a taken-over one. Null: it is gone. */
import type { Store } from '../store/store';
import type { Run } from './runs';

export async function bodyOf(run: Run, store: Store): Promise<Readonly<Record<string, unknown>> | null> {
  if (run.facts.body) return run.facts.body;
  const text = await store.tasks.requestBody(run.facts.taskId);
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}

/** Records to write, complete and unremarkable; a test names only what it is about. */
import type { AttemptEnd, NewTask, ProcessRow, Settlement } from '../../store/records';
import type { Target } from '../../workflows/contract';

/** A fixed wall clock, ms. */
export const now = 1_800_000_000_000;

export const target: Target = { modelId: 'm1', pluginId: 'up1' };

export const newTask = (fields: Partial<NewTask> & Pick<NewTask, 'id'>): NewTask => ({
  operation: 'chat',
  owner: { kind: 'key', id: 'key-1' },
  accountId: 'account-1',
  model: 'm1',
  plan: [{ ...target, dropped: null }],
  priority: 'standard',
  stream: false,
  background: false,
  requestId: `request-${fields.id}`,
  body: '{"model":"m1","messages":[]}',
  acceptedAt: now,
  deadlineAt: now + 285_000,
  incarnation: 'process-1',
  idempotency: null,
  ...fields,
});

export const attemptEnd = (fields: Partial<AttemptEnd> = {}): AttemptEnd => ({
  outcome: 'ok',
  code: null,
  httpStatus: 200,
  sentence: null,
  retryDelayMs: null,
  at: now + 100,
  ...fields,
});

export const settlement = (fields: Partial<Settlement> = {}): Settlement => ({
  state: 'completed',
  reason: null,
  sentence: null,
  answer: { contentType: 'application/json', text: '{"choices":[]}' },
  usage: { promptTokens: 3, completionTokens: 5, totalTokens: 8, cachedTokens: null, reasoningTokens: null },
  servedBy: target,
  given: true,
  badLines: 0,
  firstTokenMs: 40,
  at: now + 100,
  ...fields,
});

export const processRow = (incarnation: string, fields: Partial<ProcessRow> = {}): ProcessRow => ({
  incarnation,
  pid: 4_242,
  host: 'host-1',
  startedAt: now,
  heartbeatAt: now,
  stoppedAt: null,
  ...fields,
});

import type { Attempt, Task } from '../api/contract';
import type { StatusWord } from './tone';

export const taskStates: Record<Task['state'], StatusWord> = {
  queued: { tone: 'info', word: 'Queued', explanation: 'Accepted and waiting for a free slot.' },
  deferred: {
    tone: 'warn',
    word: 'Deferred',
    explanation: 'Waiting until a backend is available again. It holds no slot.',
  },
  running: { tone: 'info', word: 'Running', explanation: 'A backend is working on it.' },
  completed: { tone: 'ok', word: 'Completed', explanation: 'The answer was produced and stored.' },
  failed: { tone: 'bad', word: 'Failed', explanation: 'It ended without an answer; the reason is given.' },
  cancelled: { tone: 'idle', word: 'Cancelled', explanation: 'It was stopped before it was done.' },
};

export const attemptOutcomes: Record<Attempt['outcome'], StatusWord> = {
  running: { tone: 'info', word: 'Running', explanation: 'The backend has the request.' },
  ok: { tone: 'ok', word: 'Answered', explanation: 'The backend gave a whole answer.' },
  transient: { tone: 'warn', word: 'Transient failure', explanation: 'A fault that often passes by itself.' },
  rate_limited: { tone: 'warn', word: 'Rate limited', explanation: 'The backend asked to slow down.' },
  fatal: { tone: 'bad', word: 'Failed', explanation: 'A fault that a repeat would not mend.' },
  cancelled: { tone: 'idle', word: 'Cancelled', explanation: 'Stopped before the backend was done.' },
  lost: { tone: 'warn', word: 'Lost', explanation: 'The worker stopped before it could report; another took over.' },
};

export const operations: Record<Task['operation'], string> = {
  chat: 'Chat',
  completions: 'Completion',
  embeddings: 'Embedding',
  responses: 'Response',
  messages: 'Message',
};

export function isEnded(state: Task['state']): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/**
 * The backends of the simulated world, as one process reaches them: calls that take their time, fail
 * in every way a backend can, or hang. Each answer carries the number of the attempt that asked.
 */
import {
  type Adapter,
  type AdapterCall,
  type AdapterReply,
  type StreamEvent,
  UpstreamFailure,
} from '../../plugins/adapter';
import type { PluginScenario } from './scenario';
import type { SeededRandom } from './random';
import type { SimulatedTime } from './simulated-time';

/** Told of calls as they begin and end. */
export interface CallObserver {
  /** The number of the attempt that calls. */
  began(call: AdapterCall, pluginId: string): number;
  ended(call: AdapterCall, pluginId: string): void;
}

interface Reach {
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  readonly incarnation: string;
  readonly observer: CallObserver;
}

type Behaviour =
  'works' | 'transport' | 'server_error' | 'rate_limit' | 'client_error' | 'malformed' | 'hangs' | 'breaks';

const FAILURES: readonly Behaviour[] = [
  'transport',
  'transport',
  'server_error',
  'server_error',
  'rate_limit',
  'rate_limit',
  'client_error',
  'malformed',
  'hangs',
  'breaks',
];
const RETRY_AFTER = ['0', '1', '2.5', '5', '-1', 'NaN', '86400'];

export function backendOf(plugin: PluginScenario, reach: Reach): Adapter {
  const { random, observer } = reach;
  const call = async (call: AdapterCall): Promise<AdapterReply> => {
    const attempt = observer.began(call, plugin.id);
    const behaviour = random.chance(plugin.failing) ? random.pick(FAILURES) : 'works';
    const serviceMs = random.around(plugin.serviceMs);
    try {
      const reply = await replyTo(call, { behaviour, serviceMs, attempt });
      if (reply.kind === 'json') observer.ended(call, plugin.id);
      return reply;
    } catch (error) {
      observer.ended(call, plugin.id);
      throw error;
    }
  };

  async function replyTo(call: AdapterCall, { behaviour, serviceMs, attempt }: Fate): Promise<AdapterReply> {
    if (behaviour === 'hangs') {
      await wait(call, call.deadlines.firstByteMs);
      throw new UpstreamFailure('timeout', 'no first byte');
    }
    await wait(call, call.stream ? serviceMs / 4 : serviceMs);
    const failure = failureOf(behaviour, random);
    if (failure) throw failure;
    if (!call.stream) return { kind: 'json', text: answerText(call, attempt) };
    return { kind: 'stream', events: events(call, { behaviour, serviceMs, attempt }) };
  }

  async function* events(call: AdapterCall, { behaviour, serviceMs, attempt }: Fate): AsyncGenerator<StreamEvent> {
    try {
      for (let sent = 0; sent < 3; sent += 1) {
        yield { event: null, data: chunk(attempt, null) };
        await wait(call, serviceMs / 4);
      }
      if (behaviour === 'breaks') throw new UpstreamFailure('transport', 'reset in the middle of a stream');
      yield { event: null, data: chunk(attempt, 'stop') };
    } finally {
      observer.ended(call, plugin.id);
    }
  }

  function wait({ signal }: AdapterCall, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        timer.cancelled = true;
        reject(new UpstreamFailure('aborted', 'the call was aborted'));
      };
      const timer = reach.time.after(ms, reach.incarnation, () => {
        signal.removeEventListener('abort', aborted);
        resolve();
      });
      if (signal.aborted) aborted();
      else signal.addEventListener('abort', aborted, { once: true });
    });
  }

  const nothing = (): Promise<never[]> => Promise.resolve([]);
  return {
    call,
    start: async () => {},
    stop: async () => {},
    ping: async () => {},
    discover: nothing,
    backend: { state: 'running', detail: null },
    loadedModel: null,
  };
}

interface Fate {
  readonly behaviour: Behaviour;
  readonly serviceMs: number;
  readonly attempt: number;
}

function failureOf(behaviour: Behaviour, random: SeededRandom): UpstreamFailure | null {
  switch (behaviour) {
    case 'transport':
      return new UpstreamFailure('transport', 'connection refused');
    case 'server_error':
      return new UpstreamFailure('status', 'upstream failed', { status: random.pick([500, 502, 503, 504]) });
    case 'rate_limit': {
      const retryAfter = random.chance(0.6) ? random.pick(RETRY_AFTER) : undefined;
      return new UpstreamFailure('status', 'too many requests', { status: 429, retryAfter });
    }
    case 'client_error':
      return new UpstreamFailure('status', 'refused', { status: random.pick([400, 401, 403, 404, 422]) });
    case 'malformed':
      return new UpstreamFailure('malformed', 'not JSON');
    case 'works':
    case 'hangs':
    case 'breaks':
      return null;
  }
}

function answerText({ model }: AdapterCall, attempt: number): string {
  const message = { role: 'assistant', content: `a${attempt};` };
  return JSON.stringify({ id: 'x', model, choices: [{ index: 0, message, finish_reason: 'stop' }] });
}

function chunk(attempt: number, finish: string | null): string {
  const delta = { content: `a${attempt};` };
  return JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** The attempts whose words are in this answer or part of one. */
export function attemptsIn(text: string): number[] {
  return [...text.matchAll(/a(\d+);/g)].map(([, attempt]) => Number(attempt));
}

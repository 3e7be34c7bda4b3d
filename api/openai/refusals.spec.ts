/** The same refusal is the same answer on every path: chat, text completions, embeddings, responses, messages; plain and streamed. */
import { stoppedEnding } from '../../activities/ending';
import { closedCircuits } from '../../activities/circuits';
import type { DeliverySink } from '../../activities/delivery';
import type { Dispatcher } from '../../activities/dispatcher';
import { RequestDispatcher, type DispatchDeps } from '../../activities/request-dispatcher';
import type { Runtime } from '../../activities/runtime';
import { Runs } from '../../activities/runs';
import { dispatchSettings } from '../../activities/timings';
import { settingsSchema } from '../../config/schema';
import { type Answer, type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { modelRow } from '../../test/api/model-world';
import { openAiRoutes } from './routes';

interface Told {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly shouldRetry: string;
  readonly transient: boolean;
}

const later = (retryAfter: string): Told => ({ status: 503, retryAfter, shouldRetry: 'true', transient: true });

const TOLD = {
  queue_full: later('2'),
  capacity_exceeded: later('10'),
  engine_unavailable: later('5'),
  shutting_down: later('5'),
  insufficient_storage: { status: 507, retryAfter: undefined, shouldRetry: 'false', transient: false },
} satisfies Record<string, Told>;

type Code = keyof typeof TOLD;

const USER = [{ role: 'user', content: 'hi' }];
const OPENAI_PATHS = [
  { path: '/v1/chat/completions', body: { messages: USER } },
  { path: '/v1/chat/completions', body: { messages: USER, stream: true } },
  { path: '/v1/completions', body: { prompt: 'hi' } },
  { path: '/v1/completions', body: { prompt: 'hi', stream: true } },
  { path: '/v1/embeddings', body: { input: 'hi' } },
  { path: '/v1/responses', body: { input: 'hi' } },
  { path: '/v1/responses', body: { input: 'hi', stream: true } },
];
const ANTHROPIC_PATHS = [
  { path: '/v1/messages', body: { messages: USER, max_tokens: 9 } },
  { path: '/v1/messages', body: { messages: USER, max_tokens: 9, stream: true } },
];

const settings = settingsSchema.parse({});
let api: ApiUnderTest;
let dispatcher: Dispatcher;

beforeAll(async () => {
  api = await startApi({
    openAiRoutes: (router, models) => {
      const { catalogue, plugins } = models.deps();
      const runtime: Partial<Runtime> = { catalogue, circuits: closedCircuits };
      // Asked anew for each request, so that each test has its own.
      const asked = { submit: (...request) => dispatcher.submit(...request) } as Partial<Dispatcher>;
      openAiRoutes({ ...runtime, plugins, dispatcher: asked } as unknown as Runtime, settings)(router);
    },
  });
  const capabilities = ['chat', 'completions', 'embeddings', 'responses', 'messages'];
  await api.store.catalogue.addModel({ ...modelRow('m'), capabilities });
  await api.models.catalogue.refresh();
});

afterAll(() => api.close());

const ask = ({ path, body }: { path: string; body: object }): Promise<Answer> =>
  api.send('POST', path, { model: 'm', ...body }, bearer(api.userKey));

const told = ({ status, headers }: Answer): object => ({
  status,
  retryAfter: headers['retry-after'],
  shouldRetry: headers['x-should-retry'],
  type: headers['content-type'],
});

async function expectTheSameEverywhere(code: Code): Promise<void> {
  const { transient, ...head } = TOLD[code];
  const expected = { ...head, type: 'application/json; charset=utf-8' };
  const marked = transient ? { transient: true } : {};
  const message = expect.any(String);
  const messages = new Set<string>();
  for (const each of OPENAI_PATHS) {
    const answer = await ask(each);
    expect({ ...each, ...told(answer) }).toEqual({ ...each, ...expected });
    expect(answer.json()).toEqual({ error: { message, type: 'server_error', param: null, code, ...marked } });
    messages.add(answer.json().error.message);
  }
  for (const each of ANTHROPIC_PATHS) {
    const answer = await ask(each);
    expect({ ...each, ...told(answer) }).toEqual({ ...each, ...expected });
    const type = head.status === 503 ? 'overloaded_error' : 'api_error';
    const error = { type, message, param: null, code, ...marked };
    expect(answer.json()).toEqual({ type: 'error', error, request_id: answer.headers['x-request-id'] });
    messages.add(answer.json().error.message);
  }
  expect(messages.size).toBe(1);
}

interface Circumstances {
  readonly engineReady?: boolean;
  readonly freeBytes?: number;
  readonly closing?: boolean;
}

/** The real one, which accepts nothing. */
function refusing({ engineReady = true, freeBytes = Infinity, closing = false }: Circumstances): Dispatcher {
  const deps = {
    store: { tasks: { accept: () => Promise.resolve({ kind: 'capacity_exceeded' }) } },
    runs: new Runs(),
    router: { unbind: () => undefined },
    engineClient: () => ({ ready: engineReady }),
    disk: { freeBytes: () => Promise.resolve(freeBytes) },
    settings: dispatchSettings(settings.MODELS.ROUTING),
    incarnation: 'i',
    now: () => 0,
  };
  const made = new RequestDispatcher(deps as unknown as DispatchDeps);
  if (closing) made.close();
  return made;
}

/** Accepts, and ends the request for this reason before anything was given. */
const ending = (reason: Code): Dispatcher => {
  const submit: Dispatcher['submit'] = (submission, sink: DeliverySink | null) => {
    setImmediate(() => sink?.fail(stoppedEnding(reason).failure));
    return Promise.resolve({ kind: 'accepted', taskId: submission.id, leave: () => undefined });
  };
  return { submit } as Partial<Dispatcher> as Dispatcher;
};

test.each([
  ['A2', 'insufficient_storage', { freeBytes: 0 }],
  ['A3', 'capacity_exceeded', {}],
  ['C6', 'engine_unavailable', { engineReady: false }],
  ['C8', 'shutting_down', { closing: true }],
] as const)('%s: %s before acceptance is the same answer on every path', async (_id, code, circumstances) => {
  dispatcher = refusing(circumstances);
  await expectTheSameEverywhere(code);
});

test.each([
  ['A4', 'queue_full'],
  ['C6', 'engine_unavailable'],
  ['C8', 'shutting_down'],
] as const)('%s: %s after acceptance is the same answer on every path, and as before it', async (_id, code) => {
  dispatcher = ending(code);
  await expectTheSameEverywhere(code);
});

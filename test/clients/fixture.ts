/** One SoAI and one fault upstream for a client suite, and a model of its own for each case. */
import OpenAI, { type ClientOptions } from 'openai';
import { backends, merge, withSoai, type Fixture, type SettingsTree } from '../harness';
import type { Script } from '../upstream/script';

/** More than any suite has cases. */
const MODELS = Array.from({ length: 220 }, (_, at) => `c${at + 1}`);
const NATIVE_MODELS = Array.from({ length: 30 }, (_, at) => `r${at + 1}`);

export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_OPEN_TASKS = 60;
export const KEEP_ALIVE_SEC = 0.2;

/** How a model is called at the upstream: never the name that clients use (T82). */
export const upstreamName = (model: string): string => `up-${model}`;

const CLOSED_PORT = 'http://127.0.0.1:1/v1';

/** Waits in fractions of seconds, so that a case of retries ends in time; production keeps the seconds. */
function settings(upstreamUrl: string): SettingsTree {
  const tree = backends(
    { id: 'up', url: upstreamUrl, models: MODELS, capabilities: ['chat', 'completions', 'embeddings', 'tools'] },
    { id: 'native', url: upstreamUrl, models: NATIVE_MODELS, capabilities: ['responses', 'tools'] },
    { id: 'chat-only', url: upstreamUrl },
    { id: 'unreachable', url: CLOSED_PORT },
  );
  const { CATALOG } = tree.MODELS as { CATALOG: { ID: string; UPSTREAM_MODEL: string }[] };
  const models = CATALOG.map((model) => ({ ...model, UPSTREAM_MODEL: upstreamName(model.ID) }));
  const named = { ID: 'vendor/Big Model.v1', PLUGIN: 'up', UPSTREAM_MODEL: upstreamName('slashed') };
  return merge(tree, {
    SERVER: { KEEP_ALIVE_COMMENT_SEC: KEEP_ALIVE_SEC, MAX_BODY_BYTES },
    MODELS: {
      CATALOG: [...models, named],
      ROUTING: {
        DURABLE_QUEUE_HARD_LIMIT_TASKS: MAX_OPEN_TASKS,
        RETRY: { BASE_DELAY_SEC: 0.01, MAX_DELAY_SEC: 3 },
        TIMEOUTS: { FIRST_BYTE_SEC: 20 },
      },
    },
  });
}

export interface CaseModel {
  /** What clients call it. */
  readonly name: string;
  /** What its backend answers, and what it was asked. */
  readonly script: Script;
}

export interface ClientFixture extends Fixture {
  /** A model that no other case of the file uses. */
  fresh(): CaseModel;
  /** The same of a backend that speaks the Responses API itself; the others speak chat completions. */
  freshNative(): CaseModel;
}

export function withClients(): ClientFixture {
  const fixture = withSoai((upstream) => settings(upstream.url));
  const pool = (names: string[]) => (): CaseModel => {
    const name = names.shift();
    if (name === undefined) throw new Error('every model of the pool is taken: enlarge it');
    return { name, script: fixture.upstream.model(upstreamName(name)) };
  };
  return {
    get upstream() {
      return fixture.upstream;
    },
    get soai() {
      return fixture.soai;
    },
    fresh: pool([...MODELS]),
    freshNative: pool([...NATIVE_MODELS]),
  };
}

/** The official client, without retries of its own unless a case asks for them. */
export const clientOf = ({ soai }: Fixture, options: ClientOptions = {}): OpenAI =>
  new OpenAI({ apiKey: soai.key, baseURL: `${soai.url}/v1`, maxRetries: 0, ...options });

export const HI = [{ role: 'user' as const, content: 'hi' }];

/** What a rejected call was rejected with; a case that expects a failure fails when there is none. */
export async function thrownBy(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('a failure was expected, and there was none');
}

/** Clients of a running SoAI: the openai SDK, and plain fetch where the bytes matter. */
import OpenAI from 'openai';
import type { TaskDetail } from '../../api/contract/management';
import type { Soai } from './soai';

/** Without the SDK's own retries, so that a test sees the first answer. */
export const openai = (soai: Soai, options: { maxRetries?: number } = {}): OpenAI =>
  new OpenAI({ apiKey: soai.key, baseURL: `${soai.url}/v1`, maxRetries: options.maxRetries ?? 0 });

export interface PostOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that is not a string or bytes is sent as JSON. */
export function post(soai: Soai, path: string, body: unknown, options: PostOptions = {}): Promise<Response> {
  const asIs = typeof body === 'string' || body instanceof Uint8Array;
  return fetch(soai.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${soai.key}`, 'content-type': 'application/json', ...options.headers },
    body: asIs ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    signal: options.signal ?? null,
  });
}

const USER = [{ role: 'user', content: 'hi' }];

/** The case list's R1 (and R0 with `stream: true`). */
export const chat = (
  soai: Soai,
  model: string,
  more: Record<string, unknown> = {},
  options?: PostOptions,
): Promise<Response> => post(soai, '/v1/chat/completions', { model, messages: USER, ...more }, options);

export async function get<T>(soai: Soai, path: string): Promise<T> {
  const answer = await fetch(soai.url + path, { headers: { authorization: `Bearer ${soai.key}` } });
  if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

export const taskDetail = (soai: Soai, id: string): Promise<TaskDetail> => get(soai, `/api/v1/tasks/${id}`);

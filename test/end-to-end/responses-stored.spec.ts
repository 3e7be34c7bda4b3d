/** What can be done with a response after it was made: fetch, continue, list, cancel, delete, resume. */
import OpenAI from 'openai';
import { backends, get, openai, post, readStream, taskDetail, untilTask, withSoai } from '../harness';
import { chunk, completion, DONE, ev, fin, halfOpen, hold, json, role, status, stream } from '../upstream';
import { settings } from './settings';

const MODELS = 'kept turns other hidden bg bg-stream bg-slow bg-fail bg-cancel bg-gone crowd busy keyed refs'.split(
  ' ',
);
const fixture = withSoai((upstream) =>
  settings(
    backends({ id: 'up', url: upstream.url, models: MODELS }),
    { MODELS: { ROUTING: { DURABLE_QUEUE_LEASE_TTL_SEC: 2, DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 0.5 } } },
    { SERVER: { SHUTDOWN_DRAIN_SEC: 0.5 } },
  ),
);

const client = () => openai(fixture.soai).responses;
const ended = (model: string) => untilTask(fixture.soai, model, ({ finished_at: at }) => at !== null);
const upstreamMessages = (model: string, at: number) =>
  (fixture.upstream.model(model).requests[at]?.body as { messages: unknown[] }).messages;

async function eventsOf(
  path: string,
): Promise<{ type: string; sequence_number: number; response?: { status: string } }[]> {
  const answer = await fetch(`${fixture.soai.url}${path}`, {
    headers: { authorization: `Bearer ${fixture.soai.key}` },
  });
  expect(answer.status).toBe(200);
  const { events } = await readStream(answer);
  expect(events.at(-1)?.data).toBe('[DONE]');
  return events.slice(0, -1).map(({ data }) => JSON.parse(data) as { type: string; sequence_number: number });
}

test('T82: the stored one is the one that was given, plain or streamed, and carries the client’s model', async () => {
  const plain = await client().create({ model: 'kept', input: 'a', metadata: { k: 'v' } });
  expect(await client().retrieve(plain.id)).toEqual(plain);
  const streamed = await client().stream({ model: 'kept', input: 'b' }).finalResponse();
  const { output_text: text, ...stored } = await client().retrieve(streamed.id);
  expect(streamed).toMatchObject({ ...stored, output: [{ content: [{ text }] }] });
  const task = `task_${plain.id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
  expect(await get(fixture.soai, `/api/v1/tasks/${task}/response`)).toMatchObject({ id: plain.id, object: 'response' });
});

test('T92: a conversation goes on from our own store; instructions are not inherited', async () => {
  const first = await client().create({ model: 'turns', input: 'one', instructions: 'be brief' });
  const second = await client().create({
    model: 'turns',
    previous_response_id: first.id,
    input: [{ role: 'user', content: 'two' }],
  });
  const third = await client().create({ model: 'other', previous_response_id: second.id, input: 'three' });
  expect(third).toMatchObject({ previous_response_id: second.id, instructions: null, output_text: 'echo: three' });
  expect(upstreamMessages('other', 0)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'echo: one' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: 'echo: two' },
    { role: 'user', content: 'three' },
  ]);
  await expect(
    client().create({ model: 'turns', input: 'x', previous_response_id: 'resp_none' }),
  ).rejects.toMatchObject({ status: 404, code: 'response_not_found', param: 'previous_response_id' });
});

test('I: an item sent by reference is put in its place', async () => {
  const first = await client().create({ model: 'refs', input: 'remember' });
  const reference = { type: 'item_reference' as const, id: first.output[0]?.id ?? '' };
  await client().create({ model: 'refs', input: [reference, { role: 'user', content: 'go on' }] });
  expect(upstreamMessages('refs', 1)).toEqual([
    { role: 'assistant', content: 'echo: remember' },
    { role: 'user', content: 'go on' },
  ]);
  const unknown = { ...reference, id: 'msg_none' };
  await expect(client().create({ model: 'refs', input: [unknown] })).rejects.toMatchObject({ param: 'input[0].id' });
});

test('I: input items are listed in pages', async () => {
  const input = Array.from({ length: 5 }, (_, i) => ({ role: 'user' as const, content: `m${i}` }));
  const { id } = await client().create({ model: 'kept', input });
  const page = await get<{ data: { id: string }[] }>(fixture.soai, `/v1/responses/${id}/input_items?limit=2`);
  expect(page).toMatchObject({
    object: 'list',
    has_more: true,
    data: [{ content: [{ text: 'm4' }] }, {}],
    first_id: page.data[0]?.id,
    last_id: page.data[1]?.id,
  });
  const texts: unknown[] = [];
  for await (const item of client().inputItems.list(id, { limit: 2, order: 'asc' })) {
    texts.push((item as { content: { text: string }[] }).content[0]?.text);
  }
  expect(texts).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  for (const query of ['limit=0', 'limit=101', 'order=up', 'after=msg_none']) {
    const answer = await fetch(`${fixture.soai.url}/v1/responses/${id}/input_items?${query}`, {
      headers: { authorization: `Bearer ${fixture.soai.key}` },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: query.split('=')[0] } });
  }
});

test('I: a deleted one is gone with its content; so is one that was not to be stored', async () => {
  const { id } = await client().create({ model: 'hidden', input: 'secret' });
  const deleted = await fetch(`${fixture.soai.url}/v1/responses/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${fixture.soai.key}` },
  });
  expect(await deleted.json()).toEqual({ id, object: 'response', deleted: true });
  const unstored = await client().create({ model: 'hidden', input: 'x', store: false });
  expect(unstored).toMatchObject({ store: false });
  for (const gone of [id, unstored.id, 'resp_none']) {
    await expect(client().retrieve(gone)).rejects.toMatchObject({ status: 404, code: 'response_not_found' });
    await expect(client().delete(gone)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(client().cancel(gone)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  }
});

test('contract 5: only a background response can be cancelled', async () => {
  const { id } = await client().create({ model: 'kept', input: 'x' });
  await expect(client().cancel(id)).rejects.toMatchObject({ status: 400 });
});

describe('background', () => {
  test('I: it is queued at once and fetched when it is done', async () => {
    const gate = hold();
    fixture.upstream.model('bg').answers(json(completion('later'), { beforeHead: gate }));
    const queued = await client().create({ model: 'bg', input: 'x', background: true });
    expect(['queued', 'in_progress']).toContain(queued.status);
    expect(queued).toMatchObject({ background: true, output: [], error: null });
    gate.open();
    expect(await ended('bg')).toMatchObject({ state: 'completed', background: true, operation: 'responses' });
    expect(await client().retrieve(queued.id)).toMatchObject({ status: 'completed', output_text: 'later' });
  });

  test('E3: a streamed one goes on when its client leaves at the first event, and can be resumed anywhere', async () => {
    const gate = hold();
    fixture.upstream
      .model('bg-stream')
      .answers(stream([ev(role()), ev(chunk('one ')), gate, ev(chunk('two')), ev(fin()), DONE]));
    const leaving = new AbortController();
    const first = await client().create(
      { model: 'bg-stream', input: 'x', background: true, stream: true },
      { signal: leaving.signal },
    );
    let id = '';
    for await (const event of first) {
      if (event.type !== 'response.created') throw new Error(`the first event is ${event.type}`);
      id = event.response.id;
      break;
    }
    leaving.abort();
    await fixture.upstream.model('bg-stream').request(1);
    const following = eventsOf(`/v1/responses/${id}?stream=true&starting_after=1`);
    gate.open();
    await ended('bg-stream');
    const rest = await following;
    const all = await eventsOf(`/v1/responses/${id}?stream=true`);
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at));
    expect(all.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    expect(rest).toEqual(all.slice(2));
    for (let after = 0; after < all.length; after += 1) {
      const resumed = await eventsOf(`/v1/responses/${id}?stream=true&starting_after=${after}`);
      expect(resumed).toEqual(all.slice(after + 1));
    }
    const whole = await client().stream({ response_id: id }).finalResponse();
    expect(whole).toMatchObject({ status: 'completed', output_text: 'one two' });
  });

  test('E3: fifty that are left at their first event all end well', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const events = await client().create({ model: 'crowd', input: 'x', background: true, stream: true });
        for await (const event of events) if (event.type === 'response.created') return event.response.id;
        throw new Error('no first event');
      }),
    );
    const texts = ids.map(async (id) => (await client().stream({ response_id: id }).finalResponse()).output_text);
    expect(new Set(await Promise.all(texts))).toEqual(new Set(['echo: x']));
  });

  test('K: a finished one that was not streamed is replayed', async () => {
    const { id } = await client().create({ model: 'kept', input: 'x' });
    const events = await eventsOf(`/v1/responses/${id}?stream=true`);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  });

  test('contract 5: a failed one says so, in its object and in its stream', async () => {
    fixture.upstream.model('bg-fail').always(status(400, {}, 'not like this'));
    const { id } = await client().create({ model: 'bg-fail', input: 'x', background: true });
    await ended('bg-fail');
    const stored = await client().retrieve(id);
    expect(stored).toMatchObject({ status: 'failed', error: { code: 'invalid_prompt', message: 'not like this' } });
    const events = await eventsOf(`/v1/responses/${id}?stream=true`);
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error: stored.error } });
  });

  test('A10: cancelling closes the upstream; repeating it is harmless', async () => {
    fixture.upstream.model('bg-cancel').answers(halfOpen);
    const { id } = await client().create({ model: 'bg-cancel', input: 'x', background: true });
    await fixture.upstream.model('bg-cancel').request(1);
    expect(await client().cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await client().cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await client().retrieve(id)).toMatchObject({ status: 'cancelled' });
  });

  test('I: deleting a running one ends it', async () => {
    fixture.upstream.model('bg-gone').answers(halfOpen);
    const { id } = await client().create({ model: 'bg-gone', input: 'x', background: true });
    await fixture.upstream.model('bg-gone').request(1);
    await client().delete(id);
    expect(await ended('bg-gone')).toMatchObject({ state: 'cancelled' });
    await expect(client().retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  test('A9: the same key gives the same response', async () => {
    const ask = () =>
      client().create({ model: 'keyed', input: 'x', background: true }, { headers: { 'idempotency-key': 'bg' } });
    const [first, again] = [await ask(), await ask()];
    expect(again.id).toBe(first.id);
    await ended('keyed');
    expect(fixture.upstream.model('keyed').requests).toHaveLength(1);
  });
});

describe('restarts', () => {
  afterEach(() => fixture.soai.ensureRunning());

  test('C2: kill -9 with a background response running: after the start it completes', async () => {
    const model = fixture.upstream.model('bg-slow');
    model.answers(halfOpen);
    const { id } = await client().create({ model: 'bg-slow', input: 'x', background: true });
    await model.request(1);
    await fixture.soai.kill('SIGKILL');
    await fixture.soai.restart();
    await ended('bg-slow');
    expect(await client().retrieve(id)).toMatchObject({ id, status: 'completed', output_text: 'echo: x' });
  });

  test('C8, K: SIGTERM requeues a background stream; a place in the older run is refused', async () => {
    const model = fixture.upstream.model('busy');
    model.answers(stream([ev(role()), ev(chunk('lost'))], { then: 'stall' }));
    const answer = await post(fixture.soai, '/v1/responses', {
      model: 'busy',
      input: 'x',
      background: true,
      stream: true,
    });
    const taskId = answer.headers.get('x-soai-task-id') ?? '';
    const seen = hold();
    const reading = readStream(answer, (text) => text.includes('lost') && seen.open());
    await seen.opened;
    expect((await fixture.soai.stop()).code).toBe(0);
    expect((await reading).text).toMatch(/event: error\n.*shutting_down/);
    await fixture.soai.ensureRunning();
    await untilTask(fixture.soai, 'busy', (task) => task.state === 'completed');
    const id = `resp_${taskId.slice(5).replaceAll('-', '')}`;
    const headers = { authorization: `Bearer ${fixture.soai.key}` };
    const old = await fetch(`${fixture.soai.url}/v1/responses/${id}?stream=true&starting_after=3`, { headers });
    expect(old.status).toBe(409);
    expect(await old.json()).toMatchObject({ error: { code: 'stream_restarted', param: 'starting_after' } });
    const events = await eventsOf(`/v1/responses/${id}?stream=true`);
    expect(events[0]).toMatchObject({ type: 'response.created' });
    expect(JSON.stringify(events)).not.toContain('lost');
    const whole = await client().stream({ response_id: id }).finalResponse();
    expect(whole).toMatchObject({ output_text: 'echo: x' });
    expect((await taskDetail(fixture.soai, taskId)).attempts.map(({ outcome }) => outcome)).toEqual([
      'cancelled',
      'ok',
    ]);
  });
});

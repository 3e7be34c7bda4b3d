import { TestBed } from '@angular/core/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer, FeedableBody, json } from '../../testing/fake-server';
import { Session } from '../session/session';
import { ChatRuns } from './chat-runs';
import { newAnswer, newConversation, requestFor, withAnswer, withTurn, type Answer } from './conversation';
import { Conversations } from './conversations';

describe('ChatRuns', () => {
  let server: FakeServer;
  let body: FeedableBody;
  let runs: ChatRuns;
  let conversations: Conversations;
  const headers = { 'x-request-id': 'req-1', 'x-soai-task-id': 'task-1', 'x-soai-served-by': 'm1@local' };

  const text = (content: string): object => ({ choices: [{ delta: { content } }] });
  const finish = (reason: string): object => ({ choices: [{ delta: {}, finish_reason: reason }] });
  const tick = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  beforeEach(async () => {
    jest.useFakeTimers();
    localStorage.clear();
    body = new FeedableBody();
    server = new FakeServer();
    server.install();
    server
      .json('GET /api/v1/session', fixtures.session())
      .json('GET /api/v1/tasks/task-1', fixtures.task({ id: 'task-1' }))
      .on('POST /v1/chat/completions', () => body.response(headers));
    await TestBed.inject(Session).load();
    conversations = TestBed.inject(Conversations);
    runs = TestBed.inject(ChatRuns);
    TestBed.tick();
  });

  afterEach(() => jest.useRealTimers());

  function ask(): { answer: () => Answer; done: Promise<void>; id: string } {
    const answer = newAnswer('m1', Date.now());
    const turn = { id: 'turn-1', question: 'hi', answers: [], shown: 0 };
    const fresh = newConversation({ model: 'm1', system: '', temperature: null, maxTokens: null }, Date.now());
    const conversation = withAnswer(withTurn(fresh, turn, 1), turn.id, answer, 1);
    conversations.put(conversation);
    const done = runs.start(conversation.id, answer.id, requestFor(conversation, turn.id));
    return { id: answer.id, done, answer: () => conversations.get(conversation.id)?.turns[0]?.answers[0] as Answer };
  }

  test('tokens become text, with who served it, how much and that it is done', async () => {
    const { answer, done } = ask();
    await tick();
    expect(answer()).toMatchObject({ state: 'waiting', taskId: 'task-1', requestId: 'req-1', servedBy: 'm1@local' });
    body.event(text('Hel'));
    body.event(text('lo'));
    await tick(20);
    expect(answer()).toMatchObject({ state: 'streaming', text: 'Hello' });
    body.event(finish('stop'));
    body.event({ choices: [], usage: { completion_tokens: 2 } });
    body.feed('data: [DONE]\n\n');
    await done;
    expect(answer()).toMatchObject({ state: 'done', text: 'Hello', finishReason: 'stop', completionTokens: 2 });
    expect(answer().finishedAt).not.toBeNull();
  });

  test('asks with the cookie session’s token, as a stream with usage', async () => {
    ask();
    await tick();
    const call = server.calls.find(({ path }) => path === '/v1/chat/completions');
    expect(call?.headers).toMatchObject({ 'x-soai-csrf': 'csrf-token-1', accept: 'text/event-stream' });
    expect(call?.body).toMatchObject({ model: 'm1', stream: true, stream_options: { include_usage: true } });
  });

  test('stop closes the connection and keeps what came, up to the last token', async () => {
    const { id, answer, done } = ask();
    await tick();
    body.event(text('Half'));
    await tick(1);
    runs.stop(id);
    await done;
    expect(answer()).toMatchObject({ state: 'stopped', text: 'Half', problem: null });
    expect(body.cancelled).toBe(true);
  });

  test('T13: an error event in the stream keeps the text and tells the true reason with its ids', async () => {
    const { answer, done } = ask();
    await tick();
    body.event(text('Half'));
    body.event({
      error: {
        message: 'The backend went away.',
        type: 'upstream_error',
        param: null,
        code: 'upstream_stream_interrupted',
      },
    });
    await done;
    expect(answer()).toMatchObject({
      state: 'failed',
      text: 'Half',
      problem: {
        code: 'upstream_stream_interrupted',
        message: 'The backend went away.',
        requestId: 'req-1',
        taskId: 'task-1',
      },
    });
  });

  test('T23: an end without finish reason and [DONE] is an interruption; with a finish reason it is a success', async () => {
    const cut = ask();
    await tick();
    body.event(text('Half'));
    body.end();
    await cut.done;
    expect(cut.answer()).toMatchObject({ state: 'failed', problem: { code: 'stream_interrupted' } });

    body = new FeedableBody();
    const whole = ask();
    await tick();
    body.event(text('All'));
    body.event(finish('stop'));
    body.end();
    await whole.done;
    expect(whole.answer()).toMatchObject({ state: 'done', text: 'All' });
  });

  test('a refusal shows what the server says, with the request id', async () => {
    const error = { message: 'The queue is full.', type: 'server_error', param: null, code: 'queue_full' };
    server.on('POST /v1/chat/completions', () =>
      json({ error }, 503, { 'x-request-id': 'req-9', 'x-soai-task-id': 'task-9' }),
    );
    const { answer, done } = ask();
    await done;
    expect(answer().problem).toMatchObject({
      code: 'queue_full',
      message: 'The queue is full.',
      requestId: 'req-9',
      taskId: 'task-9',
    });
  });

  test('a dead network is named as one', async () => {
    const { answer, done } = ask();
    await tick();
    body.break();
    await done;
    expect(answer().problem).toMatchObject({ code: 'unreachable', requestId: 'req-1' });
  });

  test('the place in the queue is shown until the first token', async () => {
    server.on('POST /v1/chat/completions', () => body.response({ ...headers, 'x-soai-queue-position': '2' }));
    const { id } = ask();
    await tick();
    expect(runs.waitingFor(id)).toBe('2 requests before this one');
    body.event(text('Hi'));
    await tick(20);
    expect(runs.waitingFor(id)).toBeNull();
  });

  test('who served it is read from its encoded header', async () => {
    server.on('POST /v1/chat/completions', () => body.response({ 'x-soai-served-by': 'modell%2Fgr%C3%B6%C3%9Fer' }));
    const { answer } = ask();
    await tick();
    expect(answer().servedBy).toBe('modell/größer');
    body.event(finish('stop'));
    body.end();
    await tick();
  });

  test('who served it is asked of the task when the headers left too early to say', async () => {
    server.on('POST /v1/chat/completions', () => body.response({ 'x-soai-task-id': 'task-1' }));
    const { answer, done } = ask();
    await tick();
    body.event(text('Hi'));
    body.feed('data: [DONE]\n\n');
    await done;
    await tick();
    expect(answer().servedBy).toBe('smollm2 on local');
  });

  test('the end of the session stops what runs and its chats leave the page', async () => {
    const { done } = ask();
    await tick();
    server.on('DELETE /api/v1/session', () => new Response(null, { status: 204 }));
    await TestBed.inject(Session).signOut();
    TestBed.tick();
    await done;
    expect(body.cancelled).toBe(true);
    expect(conversations.all()).toEqual([]);
  });
});

import * as fixtures from '../../../../test/browser/fixtures';
import { timeline } from './timeline';

const attempt = fixtures.task().attempts[0]!;

test('a plain success: accepted, waited, one attempt, completed', () => {
  const entries = timeline(fixtures.task({ accepted_at: 1_000 }));
  expect(entries.map(({ title, tone }) => [title, tone])).toEqual([
    ['Accepted', 'ok'],
    ['Waited 40 ms', 'ok'],
    ['Attempt 1: smollm2 on local', 'ok'],
    ['Completed', 'ok'],
  ]);
  expect(entries.at(-1)?.lines).toEqual(['2.3 s in all']);
});

test('each attempt says what came back, how long it took and what followed', () => {
  const failed = {
    ...attempt,
    started_at: 2_000,
    finished_at: 2_900,
    outcome: 'transient' as const,
    code: 'upstream_5xx',
    http_status: 502,
    message: 'Bad gateway',
    retry_delay_ms: 800,
  };
  const entries = timeline(
    fixtures.task({ accepted_at: 1_000, attempts: [{ ...attempt, number: 2, started_at: 3_700 }, failed] }),
  );
  expect(entries[2]).toMatchObject({
    tone: 'warn',
    code: 'upstream_5xx',
    lines: ['Took 900 ms, HTTP 502', 'Bad gateway', 'Next try after 800 ms'],
  });
  expect(entries[3]?.title).toMatch(/^Attempt 2/);
});

test('a waiting task says for what, and has no end yet', () => {
  const waiting = { state: 'queued' as const, attempts: [], queue_ms: null, started_at: null, finished_at: null };
  expect(timeline(fixtures.task({ ...waiting, queue_position: 4 })).at(-1)).toMatchObject({
    title: 'Waiting',
    lines: ['4 before it'],
  });
  expect(timeline(fixtures.task({ ...waiting, state: 'deferred', message: 'All on cooldown.' })).at(-1)).toMatchObject({
    title: 'Deferred',
    lines: ['All on cooldown.'],
  });
});

test('a failure ends with its sentence and its code', () => {
  const entry = timeline(
    fixtures.task({ state: 'failed', reason: 'poison_task', message: 'Given up.', takeovers: 3 }),
  ).at(-1);
  expect(entry).toMatchObject({ tone: 'bad', title: 'Failed', code: 'poison_task' });
  expect(entry?.lines).toEqual(['Given up.', '2.3 s in all', 'Taken over 3 times']);
});

import { TestBed } from '@angular/core/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { LiveState } from '../live/live-state';
import { QueueWatch, waitingFor } from './queue-watch';

const queued = fixtures.task({ id: 'task-1', state: 'queued', queue_position: 3 });

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('the place is told from the task’s events and, in between, every two seconds', async () => {
  const server = new FakeServer();
  server.install();
  server.json('GET /api/v1/tasks/task-1', { ...queued, queue_position: 1 });
  const told: string[] = [];
  const unwatch = TestBed.inject(QueueWatch).watch('task-1', (text) => told.push(text));
  TestBed.inject(LiveState).apply({ type: 'task', task: fixtures.summary(queued) });
  TestBed.inject(LiveState).apply({ type: 'task', task: fixtures.summary(fixtures.task({ id: 'other' })) });
  await jest.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(['3 requests before this one', '1 request before this one']);
  unwatch();
  TestBed.inject(LiveState).apply({ type: 'task', task: fixtures.summary(queued) });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(told).toHaveLength(2);
  expect(server.count('GET /api/v1/tasks/task-1')).toBe(1);
});

test.each([
  [{ state: 'queued' as const, queue_position: 0 }, 'Next in line'],
  [{ state: 'queued' as const, queue_position: null }, 'Queued'],
  [{ state: 'deferred' as const, message: 'All backends are on cooldown.' }, 'Deferred: All backends are on cooldown.'],
  [{ state: 'running' as const }, 'The model is working on it'],
])('%j reads %j', (change, text) => {
  expect(waitingFor({ ...queued, ...change })).toBe(text);
});

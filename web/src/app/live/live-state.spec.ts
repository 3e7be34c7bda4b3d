import { TestBed } from '@angular/core/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { LiveState } from './live-state';

describe('LiveState', () => {
  let live: LiveState;
  beforeEach(() => (live = TestBed.inject(LiveState)));

  test('the latest tasks are the newest eight, each once, whatever order events come in', () => {
    for (const at of [5, 1, 9, 3, 7, 2, 8, 4, 6, 10]) {
      live.apply({
        type: 'task',
        task: fixtures.summary(fixtures.task({ id: `t${at}`, accepted_at: at, state: 'running' })),
      });
    }
    live.apply({
      type: 'task',
      task: fixtures.summary(fixtures.task({ id: 't9', accepted_at: 9, state: 'completed' })),
    });
    expect(live.recent.value()?.map(({ id }) => id)).toEqual(['t10', 't9', 't8', 't7', 't6', 't5', 't4', 't3']);
    expect(live.recent.value()?.[1]?.state).toBe('completed');
  });

  test('a plugin event changes that plugin in its place', () => {
    for (const id of ['a', 'b', 'c']) live.apply({ type: 'plugin', plugin: fixtures.plugin({ id }) });
    live.apply({ type: 'plugin', plugin: fixtures.plugin({ id: 'b', running: 1 }) });
    expect(live.plugins.value()?.map(({ id, running }) => [id, running])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
    ]);
  });

  test('nothing of one account is left for the next', () => {
    live.apply({ type: 'queue', queue: fixtures.queue({ waiting: 3 }) });
    live.apply({ type: 'task', task: fixtures.summary(fixtures.task()) });
    live.clear();
    expect(live.queue.value()).toBeNull();
    expect(live.recent.value()).toBeNull();
    expect(live.queueHistory.samples()).toEqual([]);
  });
});

import pino from 'pino';
import type { BackendState } from '../../plugins/adapter';
import type { PluginHost } from '../plugin-host';
import { IdleUnload } from './idle-unload';

function subject(idleUnloadSec: number, local = true) {
  const world = { now: 0, load: 0, active: 0, lastUsedAt: null as number | null, stops: 0 };
  const backend: { state: BackendState; detail: null } = { state: 'running', detail: null };
  const adapter = { backend, stop: async () => void ((backend.state = 'stopped'), (world.stops += 1)) };
  const host = {
    all: () => [{ id: 'p', manifest: { local }, adapter }],
    definition: () => ({ options: { idleUnloadSec, preload: false } }),
    useOf: () => ({ active: world.active, lastUsedAt: world.lastUsedAt }),
  } as unknown as PluginHost;
  const idle = new IdleUnload({
    host,
    load: () => ({ running: world.load, waiting: 0 }),
    log: pino({ level: 'silent' }),
    now: () => world.now,
  });
  const at = (now: number): number => {
    world.now = now;
    idle.look();
    return world.stops;
  };
  return { world, backend, at };
}

test('F: a backend that ran nothing for its time is stopped, once', () => {
  const { at } = subject(10);
  expect([at(0), at(9_999), at(10_000), at(30_000)]).toEqual([0, 0, 1, 1]);
});

test('F: work, and a call that just ended, begin the time anew', () => {
  const { world, at } = subject(10);
  at(0);
  world.load = 1;
  expect(at(20_000)).toBe(0);
  world.load = 0;
  world.lastUsedAt = 21_000;
  expect([at(21_000), at(30_999), at(31_000)]).toEqual([0, 0, 1]);
});

test('F: 0 never does, nor does a backend that is elsewhere', () => {
  expect(subject(0).at(1e9)).toBe(0);
  const remote = subject(1, false);
  expect([remote.at(0), remote.at(1e9)]).toEqual([0, 0]);
});

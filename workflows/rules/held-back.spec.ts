import { HeldBack, SEAT_POLL_MS } from './held-back';
import type { QueueItem } from './queue-item';

const item = (pluginId: string, ownerId: string): QueueItem => ({
  taskId: 't',
  pluginId,
  ownerId,
  modelId: 'm',
  priority: 'standard',
  enqueuedAt: 0,
});

describe('requests whose seats are taken elsewhere (A5)', () => {
  test('A5: nobody of the plugin starts until the poll is over, whoever the owner; others start', () => {
    const held = new HeldBack();
    held.hold('plugin', 'p', 1_000);
    expect(held.isHeld(item('p', 'a'), 1_000)).toBe(true);
    expect(held.isHeld(item('p', 'b'), 1_000 + SEAT_POLL_MS - 1)).toBe(true);
    expect(held.isHeld(item('q', 'a'), 1_000)).toBe(false);
    expect(held.nextPollAt(1_000)).toBe(1_000 + SEAT_POLL_MS);
    expect(held.isHeld(item('p', 'a'), 1_000 + SEAT_POLL_MS)).toBe(false);
  });

  test('A5: an owner is held back at every plugin, and not a plugin of the same name', () => {
    const held = new HeldBack();
    held.hold('owner', 'a', 0);
    expect(held.isHeld(item('p', 'a'), 0)).toBe(true);
    expect(held.isHeld(item('a', 'b'), 0)).toBe(false);
  });

  test('A5: after a poll one tries and the others wait for what it finds', () => {
    const held = new HeldBack();
    held.hold('plugin', 'p', 0);
    held.started(item('p', 'a'), SEAT_POLL_MS);
    expect(held.isHeld(item('p', 'b'), SEAT_POLL_MS)).toBe(true);
    held.free(item('p', 'a'));
    expect(held.isHeld(item('p', 'b'), SEAT_POLL_MS)).toBe(false);
    expect(held.nextPollAt(SEAT_POLL_MS)).toBeNull();
  });

  test('A5: starting holds nobody back who was not', () => {
    const held = new HeldBack();
    held.started(item('p', 'a'), 0);
    expect(held.isHeld(item('p', 'b'), 0)).toBe(false);
  });
});

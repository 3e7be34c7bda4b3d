import { setTimeout as after } from 'node:timers/promises';

/** For what nobody tells of: asks every `everyMs` until `look` is satisfied; how many ms that took. */
export async function until(
  what: string,
  look: () => boolean | Promise<boolean>,
  withinMs: number,
  everyMs = 50,
): Promise<number> {
  const start = performance.now();
  for (;;) {
    if (await look()) return performance.now() - start;
    if (performance.now() - start > withinMs) throw new Error(`${what} did not come about within ${withinMs} ms`);
    await after(everyMs);
  }
}

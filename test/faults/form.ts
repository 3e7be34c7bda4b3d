/**
 * Each fault suite has a short form, part of every test run, and a full one: `npm test -- faults`, or
 * `npm test -- faults crash` for the files whose name begins so.
 */
export const FULL = process.env['SOAI_FAULTS'] === 'full';

export function form<T>(short: T, full: T): T {
  return FULL ? full : short;
}

/** What a long run measured, for the docs: the full form prints it, the short one keeps still. */
export function report(what: string, figures: Readonly<Record<string, unknown>>): void {
  if (FULL) process.stderr.write(`${what}: ${JSON.stringify(figures)}\n`);
}

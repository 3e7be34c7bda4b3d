/**
 * Who is left alone for a while after a failure (spec D6, D7): members of virtual models, and a virtual
 * model as a whole. Deterministic: `now` is an argument; the state only changes here.
 *
 * | event                                                      | what starts                        |
 * |------------------------------------------------------------|------------------------------------|
 * | a request leaves a member it failed at, or its budget there| the member's cooldown              |
 * |   is spent                                                 |                                    |
 * | a request ends because no member was left                  | the virtual model's window         |
 *
 * A plain model never gets one (K). A window that runs is started anew by a later failure. One of length
 * 0 is none at all. Members are known by model id, so two virtual models share what they learn of one.
 */
export type WindowEvent =
  | { readonly kind: 'member_failed'; readonly modelId: string }
  | { readonly kind: 'request_failed'; readonly virtualModel: string };

export interface Windows {
  /** Model id → end, ms since the epoch. */
  readonly members: ReadonlyMap<string, number>;
  /** Virtual model → end. */
  readonly virtualModels: ReadonlyMap<string, number>;
}

export const NO_WINDOWS: Windows = { members: new Map(), virtualModels: new Map() };

export function afterFailure(windows: Windows, event: WindowEvent, windowMs: number, now: number): Windows {
  if (windowMs <= 0) return windows;
  const until = now + windowMs;
  if (event.kind === 'member_failed') {
    return { ...windows, members: withEnd(windows.members, event.modelId, until, now) };
  }
  return { ...windows, virtualModels: withEnd(windows.virtualModels, event.virtualModel, until, now) };
}

/** 0: none runs. */
export function windowEnd(ends: ReadonlyMap<string, number>, name: string, now: number): number {
  const end = ends.get(name) ?? 0;
  return end > now ? end : 0;
}

/** What is over is dropped on the way, so the state is as large as what failed lately. */
function withEnd(ends: ReadonlyMap<string, number>, name: string, until: number, now: number): Map<string, number> {
  const kept = new Map([...ends].filter(([, end]) => end > now));
  return kept.set(name, until);
}

/**
 * Named moments at which the fault tests let this process die: `FAULT_POINT=after-claim:3` sends it SIGKILL when it
 * passes `after-claim` for the third time. Without the variable a point is an empty function.
 */

/** In the order in which a request meets them. */
export const FAULT_POINTS = [
  'before-accept',
  /** Between the rows of one acceptance. */
  'in-accept-transaction',
  'after-accept',
  'before-workflow-start',
  'after-workflow-start',
  'after-claim',
  /** The backend has the request and has not answered. */
  'during-call',
  /** After each chunk handed to a client. */
  'mid-stream',
  'after-upstream-finished',
  /** The result is committed, the workflow still open. */
  'after-result-commit',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

interface Armed {
  readonly point: FaultPoint;
  readonly nth: number;
}

/** What lets a call that has just begun reach its backend before we die, ms. */
const CALL_UNDER_WAY_MS = 50;

const wanted = process.env['FAULT_POINT'];
const armed = wanted === undefined ? null : parse(wanted);
let passed = 0;

/** Why this process must not start: a point nobody passes would prove nothing. Null: all is well. */
export function faultPointProblem(): string | null {
  if (wanted === undefined || armed) return null;
  return `must be NAME:NTH with a NAME of: ${FAULT_POINTS.join(', ')}`;
}

export const faultPoint: (point: FaultPoint) => void = armed ? (point) => pass(point, armed) : () => undefined;

/** For the store, which knows statements and no points: dies between the rows of an acceptance. Undefined: not armed. */
export const beforeStatement: ((text: string) => void) | undefined =
  armed?.point === 'in-accept-transaction'
    ? (text) => text.startsWith('INSERT INTO queue_items') && faultPoint('in-accept-transaction')
    : undefined;

function pass(point: FaultPoint, { point: deadly, nth }: Armed): void {
  if (point !== deadly) return;
  passed += 1;
  if (passed !== nth) return;
  if (point === 'during-call') setTimeout(die, CALL_UNDER_WAY_MS);
  else die();
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function parse(text: string): Armed | null {
  const [, name, nth] = /^([a-z-]+):([1-9]\d*)$/.exec(text) ?? [];
  const point = FAULT_POINTS.find((each) => each === name);
  return point === undefined ? null : { point, nth: Number(nth) };
}

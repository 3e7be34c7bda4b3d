/** The time of the workflow task, ms since the epoch: the sandbox replaces the clock, so a replay reads the same. */
export function workflowTime(): number {
  // eslint-disable-next-line no-restricted-syntax
  return Date.now();
}

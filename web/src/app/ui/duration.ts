/** A duration as people say it, with the unit; two figures are enough to act on. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1).replace('.0', '')} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return pair(whole, 60, 'min', 's');
  const minutes = Math.round(whole / 60);
  return minutes < 1_440 ? pair(minutes, 60, 'h', 'min') : pair(Math.round(minutes / 60), 24, 'd', 'h');
}

function pair(total: number, base: number, large: string, small: string): string {
  const rest = total % base;
  return `${Math.floor(total / base)} ${large}${rest ? ` ${rest} ${small}` : ''}`;
}

/** "3 min ago", "in 20 s", "just now". */
export function relative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5_000) return 'just now';
  const coarse = coarsely(distance);
  return at <= now ? `${coarse} ago` : `in ${coarse}`;
}

function coarsely(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

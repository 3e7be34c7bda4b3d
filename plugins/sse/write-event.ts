/**
 * A comment that keeps proxies and clients from giving up. One newline, no blank line: a blank one
 * dispatches, and some clients then parse an empty event (T07).
 */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n';

const LINE_END = /\r\n|\r|\n/;

/**
 * One event as one string, to be written in one piece (T10, contract 3). Line ends inside `data`
 * become further `data:` lines, so nothing in a payload can end or start an event (S28).
 */
export function formatEvent(data: string, event: string | null = null): string {
  const name = event === null ? '' : `event: ${event.split(LINE_END).join(' ')}\n`;
  if (!LINE_END.test(data)) return `${name}data: ${data}\n\n`;
  const lines = data.split(LINE_END).map((line) => `data: ${line}\n`);
  return `${name}${lines.join('')}\n`;
}

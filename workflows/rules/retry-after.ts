/**
 * Reads how long a backend asks us to wait (spec B2; RFC 9110, 10.2.3 and 5.6.7).
 *
 * | header value                              | result                            |
 * |-------------------------------------------|-----------------------------------|
 * | `retry-after-ms: 1500`                    | wins over `retry-after` if valid  |
 * | `5`, `1.5`                                | seconds                           |
 * | IMF-fixdate, RFC 850 date, asctime date   | time until then, 0 when past      |
 * | several values joined by commas           | the first valid one               |
 * | negative, NaN, exponent, anything else    | null: the caller's own backoff    |
 */
export interface RetryAfterHeaders {
  readonly retryAfter?: string | null;
  readonly retryAfterMs?: string | null;
}

/** Milliseconds from `nowMs`, or null when the headers say nothing usable. */
export function parseRetryAfter({ retryAfter, retryAfterMs }: RetryAfterHeaders, nowMs: number): number | null {
  return (
    firstValid(retryAfterMs, (value) => decimal(value)) ??
    firstValid(retryAfter, (value) => scaled(decimal(value)) ?? untilDate(value, nowMs))
  );
}

/** A date holds a comma of its own, so each part is also tried together with the next one. */
function firstValid(header: string | null | undefined, parse: (value: string) => number | null): number | null {
  const parts = (header ?? '').split(',');
  for (const [index, part] of parts.entries()) {
    const parsed = parse(part.trim()) ?? parse(`${part},${parts[index + 1] ?? ''}`.trim());
    if (parsed !== null) return Math.ceil(parsed);
  }
  return null;
}

function decimal(value: string): number | null {
  const parsed = /^(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : NaN;
  return Number.isFinite(parsed) ? parsed : null;
}

/** Rounded to a microsecond first, so that 1.1 s is 1100 ms and not 1101. */
function scaled(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1e6) / 1e3;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const CLOCK = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const DATE_FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${CLOCK} GMT$`),
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${CLOCK} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`),
];

function untilDate(value: string, nowMs: number): number | null {
  for (const form of DATE_FORMS) {
    const fields = form.exec(value)?.groups;
    if (fields) return untilFields(fields, nowMs);
  }
  return null;
}

function untilFields(fields: Readonly<Record<string, string | undefined>>, nowMs: number): number | null {
  const number = (name: string) => Number(fields[name]);
  const month = MONTHS.indexOf(fields['month'] ?? '');
  const at = Date.UTC(
    fullYear(fields['year'] ?? '', nowMs),
    month,
    number('day'),
    number('hour'),
    number('minute'),
    number('second'),
  );
  // Date.UTC rolls 31 February over into March; a date that does not exist is no date.
  const exists = new Date(at).getUTCDate() === number('day') && number('hour') < 24 && number('minute') < 60;
  return exists ? Math.max(0, at - nowMs) : null;
}

/** RFC 9110: a two-digit year more than 50 years ahead means the most recent past one with those digits. */
function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}

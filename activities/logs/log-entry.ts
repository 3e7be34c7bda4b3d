/** One line of the log store, and how it is told apart and found (spec H "Logs"). */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export type Level = (typeof LEVELS)[number];

export interface LogEntry {
  /** Grows from line to line, over restarts too. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: Level;
  /** `core`, or `plugin:` and the plugin's id. */
  readonly source: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface LogQuery {
  /** The least severe one wanted. */
  readonly level?: Level | undefined;
  /** Anywhere in the message or the fields, without regard to case. */
  readonly text?: string | undefined;
  /** Only those before this id. */
  readonly before?: string | undefined;
  /** Only those after this id. */
  readonly after?: string | undefined;
}

export function matches(entry: LogEntry, { level, text, before, after }: LogQuery): boolean {
  if (level !== undefined && LEVELS.indexOf(entry.level) < LEVELS.indexOf(level)) return false;
  if (before !== undefined && entry.id >= before) return false;
  if (after !== undefined && entry.id <= after) return false;
  if (text === undefined || text === '') return true;
  const wanted = text.toLowerCase();
  return entry.message.toLowerCase().includes(wanted) || JSON.stringify(entry.fields).toLowerCase().includes(wanted);
}

/** A line as pino wrote it; null for what is none. */
export function entryOf(line: string, id: string, now: number): LogEntry | null {
  let written: Record<string, unknown>;
  try {
    written = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
  const { time: _time, level, msg, source, ...fields } = written;
  const ofPlugin = source === 'plugin' && typeof fields['plugin'] === 'string';
  const name = ofPlugin ? `plugin:${String(fields['plugin'])}` : 'core';
  if (ofPlugin) delete fields['plugin'];
  else if (source !== undefined) fields['source'] = source;
  return {
    id,
    time: now,
    level: LEVELS.find((each) => each === level) ?? 'info',
    source: name,
    message: typeof msg === 'string' ? msg : '',
    fields,
  };
}

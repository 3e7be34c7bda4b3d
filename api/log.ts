/** The process's logger. Prompts, answers and secrets are never handed to it; `redact` is the second net (O9). */
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../config/schema';

const SECRET_FIELDS = ['authorization', 'cookie', 'api_key', 'apiKey', 'password', 'token', 'secret', 'key'];

/** @param store gets every line too, as JSON */
export function createLog({ LEVEL, FORMAT }: Settings['LOG'], store: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level: LEVEL,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `headers.${field}`]),
      censor: '[redacted]',
    },
  };
  const forPeople = FORMAT === 'text' || (FORMAT === 'auto' && process.stdout.isTTY);
  const shown = forPeople
    ? pretty({
        sync: true,
        colorize: process.stdout.isTTY && !process.env.NO_COLOR,
        translateTime: 'SYS:HH:MM:ss',
        ignore: 'source',
      })
    : pino.destination({ fd: 1, sync: true });
  // The logger's own level has let a line through already.
  const level = 'trace';
  return pino(
    options,
    pino.multistream([
      { level, stream: shown },
      { level, stream: store },
    ]),
  );
}

import type { BaseLogger } from 'pino';

/** The part of pino's logger that this room uses. */
export type Log = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>;

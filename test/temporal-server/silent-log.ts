import type { Log } from '../../activities/temporal-server/log';

const drop = (): void => undefined;

export const silentLog: Log = { debug: drop, info: drop, warn: drop, error: drop };

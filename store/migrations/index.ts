import { FirstTables1796038350517 } from './1796038350517-first-tables';

/** In the order they run. */
export const migrations = [FirstTables1796038350517];

import { FirstTables1796038350517 } from './1796038350517-first-tables';
import { UsageDays1796100000007 } from './1796100000007-usage-days';

/** In the order they run. */
export const migrations = [FirstTables1796038350517, UsageDays1796100000007];

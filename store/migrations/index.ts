import { FirstTables1796038350517 } from './1796038350517-first-tables';
import { CatalogueAtRunTime1796100000002 } from './1796100000002-catalogue-at-run-time';
import { PluginStates1796100000003 } from './1796100000003-plugin-states';
import { PluginLifecycle1796100000004 } from './1796100000004-plugin-lifecycle';
import { Counters1796100000005 } from './1796100000005-counters';
import { Responses1796100000006 } from './1796100000006-responses';
import { UsageDays1796100000007 } from './1796100000007-usage-days';
import { Downloads1796100000102 } from './1796100000102-downloads';

/** In the order they run. */
export const migrations = [
  FirstTables1796038350517,
  CatalogueAtRunTime1796100000002,
  PluginStates1796100000003,
  PluginLifecycle1796100000004,
  Counters1796100000005,
  Responses1796100000006,
  UsageDays1796100000007,
  Downloads1796100000102,
];

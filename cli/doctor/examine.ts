/** Runs every check of `soai doctor`, those that need no settings also when these are at fault. */
import type { Health } from '../../api/contract/management';
import { formatFault } from '../../config/fault';
import type { LoadResult } from '../../config/load';
import { dataDir as dataDirectory } from '../../config/paths';
import type { ApiClient } from '../api-client';
import type { Context } from '../context';
import { CliError } from '../exit-code';
import type { OfflineRunner } from '../offline';
import { checkDatabase, checkDataDirectory, checkDirtyMarker, checkFreeSpace } from './data';
import { fail, pass, warn, type Finding } from './finding';
import { checkNode } from './host';
import { checkPort, checkTemporal } from './network';
import { checkModels, checkPlugins } from './serving';

export async function examine(context: Context, offline: OfflineRunner): Promise<Finding[]> {
  const loaded = context.load();
  const findings = [checkNode(), ...checkSettings(loaded)];
  if (!loaded.ok) return findings;
  const { settings } = loaded;
  const dataDir = dataDirectory(settings, context.terminal.env);
  const client = context.apiIfRunning();
  const { health, finding } = await checkServer(client);
  // A server named by --server may be on another machine: its files and ports are not to be seen here.
  const running = health !== null && context.namedServer === null;
  findings.push(finding, checkDataDirectory(dataDir), await checkFreeSpace(dataDir, settings));
  findings.push(checkDirtyMarker(dataDir, running), await checkDatabase(context, dataDir, settings, running, offline));
  findings.push(await checkPort(settings, running), await checkTemporal(settings, health, context.terminal.env));
  const reachable = health === null ? null : client;
  const served = async () => [...(await checkPlugins(reachable, settings)), await checkModels(reachable, settings)];
  return [...findings, ...(await served().catch(refused))];
}

function checkSettings(loaded: LoadResult): Finding[] {
  if (loaded.ok) {
    const where = loaded.file ?? 'no file, the defaults apply';
    const first = loaded.warnings[0];
    if (first === undefined) return [pass('settings', where)];
    return [warn('settings', formatFault(first), 'soai config validate lists every warning.')];
  }
  const [first] = loaded.faults;
  const more = loaded.faults.length > 1 ? ` (and ${loaded.faults.length - 1} more)` : '';
  const detail = first === undefined ? 'at fault' : `${formatFault(first)}${more}`;
  return [fail('settings', detail, 'soai config validate lists every fault; the other checks need valid settings.')];
}

async function checkServer(client: ApiClient | null): Promise<{ health: Health | null; finding: Finding }> {
  if (client === null) return { health: null, finding: pass('server', 'not running; start it with: soai start') };
  try {
    const health = await client.get<Health>('/api/v1/system/health');
    const { url } = client.address;
    if (health.status === 'ok') return { health, finding: pass('server', `${url}, ok`) };
    const detail = health.reasons.map(({ code, message }) => `${code}: ${message}`).join('; ');
    return { health, finding: warn('server', `${url}, degraded: ${detail}`, 'Mend what the reasons name.') };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { health: null, finding: fail('server', error.message, error.hint ?? 'Look at its log.') };
  }
}

function refused(error: unknown): Finding[] {
  if (!(error instanceof CliError)) throw error;
  return [fail('plugins and models', error.message, error.hint ?? 'Use a key of an administrator.')];
}

/** `soai status` and `soai health`. */
import type { Health, SystemInfo } from '../../api/contract/management';
import { examples, type Register } from '../command';
import type { Context } from '../context';
import { EXIT } from '../exit-code';
import { duration, instant } from '../output/time';

export const registerStatus: Register = (program, bind) => {
  const status = program
    .command('status')
    .description('Show what the server is, what it runs on and how it fares')
    .action(bind(showStatus));
  examples(status, 'soai status', 'soai status --server http://127.0.0.1:8420');

  const health = program
    .command('health')
    .description('Print ok or degraded with the reasons; needs no key')
    .addHelpText('after', '\nThe exit code is 0 when it is ok and 1 when it is degraded.')
    .action(bind(showHealth));
  examples(health, 'soai health', 'soai health --output json');
};

async function showStatus({ api, print }: Context): Promise<void> {
  const client = api();
  const health = await client.get<Health>('/api/v1/system/health');
  const info = await client.get<SystemInfo>('/api/v1/system/info');
  print.record({ ...info, health }, [
    ['Server', info.addresses.join(', ') || client.address.url],
    ['Version', info.version],
    ['Health', health.status],
    ...reasons(health),
    ['Started', `${instant(info.started_at)} (up ${duration(health.uptime_sec * 1000)})`],
    ['Queue', queueLine(health)],
    ['Engine', `${info.engine.state}, ${info.engine.address}, namespace ${info.engine.namespace}`],
    ['Console', info.engine.console_url ?? '-'],
    ['Database', info.database],
    ['Data', info.data_dir],
  ]);
}

async function showHealth({ api, print }: Context): Promise<number> {
  const health = await api().get<Health>('/api/v1/system/health');
  print.record(health, [
    ['Health', health.status],
    ...reasons(health),
    ['Engine', health.engine],
    ['Queue', queueLine(health)],
    ['Version', health.version],
  ]);
  return health.status === 'ok' ? EXIT.ok : EXIT.failed;
}

function reasons(health: Health): [string, string][] {
  return health.reasons.map(({ code, message }) => ['Reason', `${code}: ${message}`]);
}

function queueLine({ queue }: Health): string {
  return `${queue.waiting} waiting, ${queue.running} running, ${queue.deferred} deferred`;
}

/**
 * `soai start`: runs the server in the foreground. Exit codes: 0 stopped cleanly, 1 failed, 2 settings at fault.
 * SIGTERM or SIGINT stops it cleanly (C8); a second one at once.
 */
import path from 'node:path';
import { LogFiles } from '../activities/logs/log-files';
import { loadSettings } from '../config/load';
import { formatFault, type Fault } from '../config/fault';
import { parseFlags } from '../config/flags';
import { faultPointProblem } from '../activities/fault-point';
import { createLog } from './log';
import { startServer, type RunningServer } from './start-server';

const HELP = `Usage: soai start [options]

Run the server in the foreground. Ctrl-C stops it cleanly.

Options:
  --config FILE       settings file (default: ./soai.yaml, then XDG and /etc)
  --set PATH=VALUE    one setting, may be repeated
  --host, --port, --data-dir, --log-level VALUE   short forms of the same

Example:
  soai start --config soai.yaml --set SERVER.PORT=9000
`;

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(HELP);
    return;
  }
  const { flags, faults } = parseFlags(argv);
  if (faults.length > 0) return refuse(faults);
  const loaded = loadSettings({ flags, env: process.env, cwd: process.cwd() });
  if (!loaded.ok) return refuse(loaded.faults);
  const unknownPoint = faultPointProblem();
  if (unknownPoint !== null)
    return refuse([{ source: { kind: 'env', name: 'FAULT_POINT' }, path: null, message: unknownPoint }]);
  const logs = new LogFiles(path.join(loaded.settings.SYSTEM.PATHS.SYSTEM_DATA!, 'logs'));
  const log = createLog(loaded.settings.LOG, logs);
  for (const warning of loaded.warnings) log.warn({ setting: warning.path }, warning.message);

  let server: RunningServer | null = null;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping || !server) {
      log.warn({ signal }, stopping ? 'second signal: exiting at once' : 'stopped before it was ready');
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, 'stopping: no new requests; a second signal exits at once');
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'the stop failed; the next start checks the database');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  try {
    server = await startServer({ settings: loaded.settings, origins: loaded.origins, file: loaded.file, log, logs });
  } catch (error) {
    log.fatal(error instanceof Error && error.name !== 'Error' ? error.message : { err: error });
    process.exit(1);
  }
}

function refuse(faults: readonly Fault[]): void {
  process.stderr.write(`${faults.map(formatFault).join('\n')}\nNothing was started.\n`);
  process.exitCode = 2;
}

void main(process.argv.slice(2));

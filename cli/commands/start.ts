/** `soai start`: hands over to the server's own entry point, in the foreground. */
import { spawn } from 'node:child_process';
import { FLAG_SETTINGS } from '../../config/flags';
import { examples, type Register } from '../command';
import type { Context } from '../context';
import { CliError, EXIT } from '../exit-code';
import { entryPoint } from '../installation';

type StartOptions = Readonly<Record<string, string | undefined>>;

export const registerStart: Register = (program, bind) => {
  const start = program
    .command('start')
    .description('Run the server in the foreground; Ctrl-C stops it cleanly')
    .option('--host <address>', `short for --set ${FLAG_SETTINGS.host}=ADDRESS`)
    .option('--port <port>', `short for --set ${FLAG_SETTINGS.port}=PORT`)
    .option('--data-dir <directory>', `short for --set ${FLAG_SETTINGS['data-dir']}=…`)
    .option('--log-level <level>', `short for --set ${FLAG_SETTINGS['log-level']}=LEVEL`)
    .addHelpText('after', '\nThe last line of a start says ready, with the addresses.')
    .action(bind(startServer));
  examples(start, 'soai start', 'soai start --config soai.yaml --port 9000');
};

function startServer(context: Context, { host, port, dataDir, logLevel }: StartOptions): Promise<number> {
  const { config, set = [] } = context.options;
  const given = { config, host, port, 'data-dir': dataDir, 'log-level': logLevel };
  const flags = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const args = [entryPoint('api', 'main.js'), ...flags, ...set.flatMap((each) => ['--set', each])];
  const { cwd, env } = context.terminal;
  // Ctrl-C reaches the child by itself, which decides when it has stopped; only TERM has to be passed on.
  const stop = context.terminal.onInterrupt(() => undefined);
  return new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: 'inherit' });
    const terminate = () => void child.kill('SIGTERM');
    process.once('SIGTERM', terminate);
    child.once('error', (error) => reject(new CliError(EXIT.failed, 'start_failed', error.message)));
    child.once('close', (code) => {
      process.off('SIGTERM', terminate);
      resolve(code ?? EXIT.failed);
    });
  }).finally(stop);
}

/** The command tree of `soai`. */
import { Command, CommanderError, Option } from 'commander';
import type { Bind } from './command';
import { examples } from './command';
import { registerChat } from './commands/chat';
import { registerCompletion } from './commands/completion';
import { registerConfig } from './commands/config';
import { registerDatabase } from './commands/database';
import { registerDoctor } from './commands/doctor';
import { registerKey } from './commands/key';
import { registerLog } from './commands/log';
import { registerModel } from './commands/model';
import { registerPlan } from './commands/plan';
import { registerPlugin } from './commands/plugin';
import { registerQueue } from './commands/queue';
import { registerStart } from './commands/start';
import { registerStatus } from './commands/status';
import { registerTask } from './commands/task';
import { registerUsage } from './commands/usage';
import { registerVersion } from './commands/version';
import { registerVirtualModel } from './commands/virtual-model';
import { registerWorkflow } from './commands/workflow';
import { Context, type GlobalOptions } from './context';
import { CliError, EXIT } from './exit-code';
import { VERSION } from './installation';
import { FORMATS } from './output/printer';
import type { Terminal } from './terminal';

/** Help is written for this width, whatever the terminal. */
const HELP_COLUMNS = 80;

const COMMANDS = [
  registerStart,
  registerStatus,
  registerChat,
  registerTask,
  registerQueue,
  registerWorkflow,
  registerUsage,
  registerModel,
  registerVirtualModel,
  registerPlugin,
  registerLog,
  registerKey,
  registerConfig,
  registerDatabase,
  registerPlan,
  registerDoctor,
  registerCompletion,
  registerVersion,
];

/** Runs one command line (without `node` and the script); resolves to the exit code. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = buildProgram(terminal, (code) => (exitCode = code));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed what it has to say by now.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof CliError)) throw error;
    new Context(terminal, program.opts<GlobalOptions>()).print.error(error);
    return error.exitCode;
  }
}

export function buildProgram(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('soai')
    .description('SoAI: a self-hosted control plane for AI inference.')
    .version(VERSION, '-V, --version', 'print the version')
    .addOption(new Option('-o, --output <format>', 'how to print data').choices([...FORMATS]).default('table'))
    .option('--config <file>', 'settings file (else $SOAI_CONFIG, ./soai.yaml, …)')
    .option('--set <path=value>', 'one setting, e.g. SERVER.PORT=9000; may be repeated', collect)
    .option('--server <url>', 'server to ask (else $SOAI_URL, else the one running here)')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      getOutHelpWidth: () => HELP_COLUMNS,
      getErrHelpWidth: () => HELP_COLUMNS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      'after',
      `
Environment:
  SOAI_URL, SOAI_API_KEY   server to ask, and the key to ask it with
  SOAI_CONFIG              settings file
  SOAI__SERVER__PORT=9000  any setting: SOAI__, then its names joined by __
  NO_COLOR                 no colours

Exit codes:
  0 ok, 1 failed, 2 usage, 3 not reachable, 4 refused, 5 not found`,
    );
  examples(program, 'soai start', 'soai chat "Hello"', 'soai task list --state failed --output json');
  const bind: Bind =
    (body) =>
    async (...args) => {
      exit((await body(new Context(terminal, program.opts<GlobalOptions>()), ...args)) ?? EXIT.ok);
    };
  for (const register of COMMANDS) register(program, bind);
  return program;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

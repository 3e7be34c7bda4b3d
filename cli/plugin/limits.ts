/** Options of `soai plugin create` and `set` that bound a plugin. */
import { InvalidArgumentError, Option, type Command } from 'commander';

export interface Limits {
  readonly maxConcurrentTasks?: number;
  readonly idleUnloadSec?: number;
  readonly preload?: 'yes' | 'no';
}

export function withLimits(command: Command): Command {
  return command
    .option('--max-concurrent-tasks <n>', 'requests it is given at once', tasks)
    .option('--idle-unload-sec <seconds>', 'stop its idle backend after this time; 0 never does', seconds)
    .addOption(new Option('--preload <yes|no>', 'start its backend with the server').choices(['yes', 'no']));
}

/** As the API takes them. */
export function limitsOf({ maxConcurrentTasks, idleUnloadSec, preload }: Limits) {
  return {
    ...(maxConcurrentTasks === undefined ? {} : { max_concurrent_tasks: maxConcurrentTasks }),
    ...(idleUnloadSec === undefined ? {} : { idle_unload_sec: idleUnloadSec }),
    ...(preload === undefined ? {} : { preload: preload === 'yes' }),
  };
}

function tasks(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds, 0 or more.');
}

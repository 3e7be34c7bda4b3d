#!/usr/bin/env node
// Set-up and the four npm scripts. Needs Node >= 20 and npm; everything else it gets or asks for by name.
import { SetupError } from './setup/setup-error.mjs';

const OLDEST_NODE = 20;

const commands = {
  setup: async () => void (await (await import('./setup/everything.mjs')).setUp()),
  start: async (args) => (await import('./setup/start.mjs')).start(args),
  test: async (args) => (await import('./setup/test.mjs')).test(args),
  bench: async (args) => (await import('./setup/bench.mjs')).bench(args),
};

const [name = '', ...args] = process.argv.slice(2);

try {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    throw new SetupError(`Node ${process.versions.node} is too old`, `Install Node ${OLDEST_NODE} or newer.`);
  }
  if (!Object.hasOwn(commands, name)) {
    throw new SetupError(`unknown command "${name}"`, `Use one of: ${Object.keys(commands).join(', ')}.`, 2);
  }
  process.exitCode = (await commands[name](args)) ?? 0;
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`\n${error.message}\n  ${error.remedy}\n`);
  process.exitCode = error.exitCode;
}

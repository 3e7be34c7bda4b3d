/**
 * `npm run bench`: one run over a direct call, bare Temporal and SoAI (and other gateways with
 * `--peers`), interleaved. See docs/performance.md.
 */
import { setTimeout as after } from 'node:timers/promises';
import { launchProgram } from './child';
import type { Contestant } from './contestants/contestant';
import { bareTemporal, direct, soai } from './contestants/ours';
import { litellm, portkey } from './contestants/peers';
import { residentMiB } from './memory';
import { readOptions, USAGE, type BenchOptions } from './options';
import { asTable, machine, type Report } from './report';
import { BASE, runScenarios } from './scenarios';

const UPSTREAM = require.resolve('../upstream/main');
/** Start-up garbage is collected and caches are filled before idle memory is read. */
const SETTLE_MS = 5_000;

const tell = (message: string): void => void process.stderr.write(`bench: ${message}\n`);

async function run(options: BenchOptions): Promise<Report> {
  const toStop: (() => Promise<void>)[] = [];
  const keep = <T extends { stop(): Promise<void> }>(started: T): T => {
    toStop.unshift(() => started.stop());
    return started;
  };
  try {
    tell('starting the upstream, bare Temporal and SoAI');
    const upstream = keep(await launchProgram(UPSTREAM, []));
    const contestants: Contestant[] = [direct(upstream.url, upstream.pid)];
    contestants.push(...(await bareTemporal(upstream.url)).map(keep));
    contestants.push(keep(await soai(upstream.url)));
    if (options.peers) {
      tell('starting LiteLLM and Portkey (the first time they are installed)');
      contestants.push(keep(await litellm(upstream.url)), keep(await portkey(upstream.url)));
    }
    await after(SETTLE_MS);
    const idle = await Promise.all(contestants.map((one) => residentMiB(one.pid)));
    const scenarios = await runScenarios(contestants, options, tell);
    const loaded = await Promise.all(contestants.map((one) => residentMiB(one.pid)));
    const memory = contestants.map((one, i) => ({
      contestant: one.name,
      idleMiB: idle[i] ?? null,
      afterLoadMiB: loaded[i] ?? null,
    }));
    return { machine: machine(), base: BASE, scenarios, memory };
  } finally {
    for (const stop of toStop) await stop();
  }
}

async function main(): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return 2;
  }
  const report = await run(options);
  process.stdout.write(`${options.format === 'json' ? JSON.stringify(report, null, 2) : asTable(report)}\n`);
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);

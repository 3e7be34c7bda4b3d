/**
 * Bundles the bare workflows into one file, in a process of its own: a bundler inside the worker's
 * process would be counted as the worker's memory.
 *
 *   node dist/test/bench/bare/bundle.js FILE
 */
import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode } from '@temporalio/worker';

async function main(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({ workflowsPath: require.resolve('./workflows') });
  await writeFile(file, code);
}

const [, , file] = process.argv;
if (!file) throw new Error('usage: bundle.js FILE');
main(file).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});

/** `soai plan` as a person runs it: the command itself, with no server. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanReport } from '../../api/contract/offline';
import { assertBuilt, COMMAND } from '../harness/product';

jest.setTimeout(60_000);

const directory = mkdtempSync(join(tmpdir(), 'soai-plan-'));
const config = join(directory, 'soai.yaml');
const dataDir = join(directory, 'data');

beforeAll(() => {
  assertBuilt();
  writeFileSync(config, `SYSTEM: { PATHS: { SYSTEM_DATA: ${dataDir} } }\n`);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = (...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) =>
    execFile(COMMAND, ['plan', ...words, '--config', config], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );

test('plan: prints waits, refusals, utilisation and the limit that binds, and leaves nothing behind', async () => {
  const { code, stdout } = await run('--rate', '8', '--service', '1', '--limit', '4', '--minutes', '5');
  expect(code).toBe(0);
  for (const words of ['MAX_CONCURRENT_TASKS of plugin', 'WAIT P50', 'QUEUE FULL', 'DEADLINE', 'USED', '8.00']) {
    expect(stdout).toContain(words);
  }
  expect(readdirSync(directory)).toEqual(['soai.yaml']);
});

test('plan: the same workload and seed give the same figures, from flags and from a file', async () => {
  const file = join(directory, 'plan.yaml');
  writeFileSync(
    file,
    'PLUGINS: [{ ID: p, MAX_CONCURRENT_TASKS: 4 }]\nWORKLOAD: [{ RATE_PER_SEC: 3, SERVICE_SEC: 1, OWNERS: 2 }]\nMINUTES: 5\n',
  );
  const [told, again] = [await run('--file', file, '-o', 'json'), await run('--file', file, '-o', 'json')];
  expect(again).toEqual(told);
  const flags = ['--rate', '3', '--service', '1', '--owners', '2', '--limit', '4', '--plugin', 'p', '--minutes', '5'];
  const { stdout } = await run(...flags, '-o', 'json');
  expect(JSON.parse(stdout)).toEqual(JSON.parse(told.stdout));
  expect((JSON.parse(stdout) as PlanReport).streams[0]!.wait_ms).not.toBeNull();
  rmSync(file);
});

test('plan: what can not be planned is refused with exit code 2 and words', async () => {
  const { code, stderr } = await run('--rate', '-3', '--service', '1', '--limit', '4');
  expect(code).toBe(2);
  expect(stderr).toContain('WORKLOAD[0].RATE_PER_SEC');
});

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installRuntime } from '../../plugins/llama-cpp/install';
import { temporaryDirectory } from './adapter-fixture';

/** Stands in for npm: notes how it was called, and installs as it is told. */
const NPM = `
const fs = require('node:fs');
const path = require('node:path');
const args = process.argv.slice(2);
fs.appendFileSync(process.env.NPM_CALLS, JSON.stringify({ args, cwd: process.cwd(), files: fs.readdirSync('.') }) + '\\n');
const names = ['node-llama-cpp', ...args.filter((one) => one.startsWith('@')).map((one) => one.slice(0, one.lastIndexOf('@')))];
for (const name of names.slice(0, process.env.NPM_HALF ? 1 : undefined)) {
  fs.mkdirSync(path.join('node_modules', name), { recursive: true });
  fs.writeFileSync(path.join('node_modules', name, 'package.json'), '{}');
}
if (process.env.NPM_FAILS) { console.error('npm error network'); process.exit(1); }
`;

const directory = temporaryDirectory();
const calls = path.join(directory, 'calls');
const saved = { ...process.env };
let cacheDir = '';
const log: string[] = [];

const install = (): Promise<string> => installRuntime({ cacheDir, log: (line) => log.push(line) });
const called = (): { args: string[]; cwd: string; files: string[] }[] =>
  existsSync(calls)
    ? readFileSync(calls, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ReturnType<typeof called>[number])
    : [];

beforeEach(() => {
  cacheDir = temporaryDirectory();
  rmSync(calls, { force: true });
  log.length = 0;
  writeFileSync(path.join(directory, 'npm-cli.js'), NPM);
  process.env.npm_execpath = path.join(directory, 'npm-cli.js');
  process.env.NPM_CALLS = calls;
});

afterEach(() => {
  process.env = { ...saved };
});

test("the host's binaries alone are installed, without scripts, from the lock file", async () => {
  const runtime = await install();
  expect(runtime).toMatch(/llama-cpp\/3\.21\.1$/);
  const [call] = called();
  expect(call?.args).toEqual(expect.arrayContaining(['--ignore-scripts', '--omit=optional', '--no-save']));
  expect(call?.args.filter((one) => one.startsWith('@node-llama-cpp/')).length).toBeGreaterThan(0);
  expect(call?.files.sort()).toEqual(['package-lock.json', 'package.json']);
  expect(existsSync(path.join(runtime, 'node_modules/node-llama-cpp/package.json'))).toBe(true);
  expect(log.length).toBeGreaterThan(1);
});

test('a second time nothing is done', async () => {
  await install();
  log.length = 0;
  await install();
  expect(called()).toHaveLength(1);
  expect(log).toEqual([]);
});

test.each([
  ['NPM_FAILS', 'npm error network'],
  ['NPM_HALF', 'incomplete'],
])('an installation that fails (%s) says why, leaves nothing and is redone', async (how, reason) => {
  process.env[how] = '1';
  await expect(install()).rejects.toThrow(reason);
  expect(readdirSync(path.join(cacheDir, 'llama-cpp'))).toEqual([]);
  delete process.env[how];
  await install();
  expect(called()).toHaveLength(2);
});

test('what an interruption left behind is replaced', async () => {
  const half = path.join(cacheDir, 'llama-cpp/3.21.1/node_modules/node-llama-cpp');
  mkdirSync(half, { recursive: true });
  writeFileSync(path.join(half, 'package.json'), '{}');
  const runtime = await install();
  expect(readdirSync(path.dirname(runtime))).toEqual(['3.21.1']);
  expect(readdirSync(path.join(runtime, 'node_modules'))).toHaveLength(2);
});

test('two at once both end with a whole one', async () => {
  const [one, other] = await Promise.all([install(), install()]);
  expect(one).toBe(other);
  expect(readdirSync(path.join(cacheDir, 'llama-cpp'))).toEqual(['3.21.1']);
});

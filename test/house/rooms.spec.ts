/** The doors between the rooms, tried from the outside: each planted import must be refused by its rule. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './source-files';

jest.setTimeout(60_000);

/** File → what it imports, and the rules that must refuse it. */
const PLANTED: Record<string, { imports: string[]; refusedBy: string[] }> = {
  'config/planted.ts': { imports: ['../store/target'], refusedBy: ['door-of-config'] },
  'workflows/rules/planted.ts': { imports: ['../contract', 'zod'], refusedBy: ['door-of-rules', 'rules-are-pure'] },
  'workflows/planted.ts': {
    imports: ['node:fs', '../activities/target', '@temporalio/client'],
    refusedBy: ['door-of-workflows', 'workflows-are-deterministic', 'workflows-use-only-the-workflow-sdk'],
  },
  'store/planted.ts': { imports: ['../workflows/rules/target'], refusedBy: ['door-of-store'] },
  'plugins/planted.ts': { imports: ['../store/target'], refusedBy: ['door-of-plugins'] },
  'activities/planted.ts': { imports: ['../api/target'], refusedBy: ['door-of-activities'] },
  'api/planted.ts': { imports: ['../cli/target', 'typeorm'], refusedBy: ['database-behind-the-store', 'door-of-api'] },
  'cli/planted.ts': { imports: ['../api/target'], refusedBy: ['door-of-cli'] },
  'web/planted.ts': { imports: ['../api/target'], refusedBy: ['door-of-web'] },
  'activities/tested.ts': {
    imports: ['../test/target'],
    refusedBy: ['door-of-activities', 'no-test-code-in-the-product'],
  },
};

/** Imports that must pass. */
const OPEN: Record<string, string[]> = {
  'activities/open.ts': ['../workflows/rules/target', '../workflows/contract', '../store/target', '../config/target'],
  'activities/open.spec.ts': ['../test/target'],
  'workflows/open.ts': ['./rules/target', '@temporalio/workflow'],
  'cli/open.ts': ['../api/contract/target', '../config/target'],
  'test/open.ts': ['../api/target', '../cli/target'],
};

interface Report {
  readonly summary: { readonly violations: { readonly from: string; readonly rule: { readonly name: string } }[] };
}

let dir: string;
let report: Report;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'soai-rooms-'));
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) await copyFile(join(root, file), join(dir, file));
  const rooms = [
    'config',
    'workflows',
    'workflows/rules',
    'store',
    'plugins',
    'activities',
    'api',
    'api/contract',
    'cli',
    'test',
  ];
  for (const room of rooms) await plant(`${room}/target.ts`, []);
  await plant('workflows/contract.ts', []);
  for (const [file, { imports }] of Object.entries(PLANTED)) await plant(file, imports);
  for (const [file, imports] of Object.entries(OPEN)) await plant(file, imports);
  report = await cruise();
});

afterAll(() => rm(dir, { recursive: true }));

async function plant(file: string, imports: string[]): Promise<void> {
  await mkdir(dirname(join(dir, file)), { recursive: true });
  const lines = imports.map((each, at) => `import { name as n${at} } from '${each}';\nexport const m${at} = n${at};`);
  await writeFile(join(dir, file), [...lines, "export const name = '';\n"].join('\n'));
}

function cruise(): Promise<Report> {
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [cli, '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const rooms = ['config', 'workflows', 'store', 'plugins', 'activities', 'api', 'cli', 'web', 'test'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...args, ...rooms], { cwd: dir, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (stdout) resolve(JSON.parse(stdout) as Report);
      else reject(new Error(stderr, { cause: error }));
    });
  });
}

function rulesBrokenBy(file: string): string[] {
  const names = report.summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);
  return [...new Set(names)].sort();
}

test.each(Object.entries(PLANTED))('rooms: %s is refused', (file, { refusedBy }) => {
  expect(rulesBrokenBy(file)).toEqual(refusedBy);
});

test.each(Object.keys(OPEN))('rooms: %s is let in', (file) => {
  expect(rulesBrokenBy(file)).toEqual([]);
});

/**
 * The command compiled into a directory of its own, to run it as a process: from the sources, so
 * that a test never runs what an earlier build left in `dist/`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { emptyDirectory, type Outcome } from './run';

const ROOT = join(__dirname, '..', '..');
const SOURCES = ['cli', 'config', 'api/contract'];

export interface CompiledCli {
  spawn(argv: readonly string[], options: { cwd: string; env: Record<string, string> }): ChildProcess;
  run(argv: readonly string[], options: { cwd: string; env: Record<string, string> }): Promise<Outcome>;
  remove(): void;
}

/** `offline` is the source of dist/api/offline.js, `server` that of dist/api/main.js. */
export function compileCli(offline = '', server = ''): CompiledCli {
  const directory = emptyDirectory();
  const dist = join(directory, 'dist');
  for (const source of SOURCES) for (const file of typescriptFiles(source)) compile(file, dist);
  mkdirSync(join(dist, 'api'), { recursive: true });
  writeFileSync(join(dist, 'api/offline.js'), offline);
  writeFileSync(join(dist, 'api/main.js'), server);
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const start: CompiledCli['spawn'] = (argv, { cwd, env }) =>
    spawn(process.execPath, [join(dist, 'cli/main.js'), ...argv], { cwd, env: { HOME: cwd, ...env } });
  return {
    spawn: start,
    run: (argv, options) => outcomeOf(start(argv, options)),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdin?.end();
  child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr })));
}

function typescriptFiles(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join(directory, file));
}

function compile(file: string, dist: string): void {
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.CommonJS, esModuleInterop: true },
  });
  const target = join(dist, file.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
}

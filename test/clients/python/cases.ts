/** Runs the Python cases in one process and hands on their results one by one. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Waits } from '../../upstream/waits';

export interface PythonCase {
  readonly id: string;
  readonly title: string;
}

interface Result {
  readonly id: string;
  readonly ok: boolean;
  /** A traceback. */
  readonly error: string | null;
}

const CASE = /^@case\("([\w-]+)", "(.+)"\)$/gm;
const RESULT_WITHIN_MS = 50_000;

/** Read from the source, so that they have names even where Python is missing. */
export function pythonCases(): readonly PythonCase[] {
  const directory = join(__dirname, 'cases');
  return readdirSync(directory)
    .filter((file) => file.endsWith('.py'))
    .sort()
    .flatMap((file) => [...readFileSync(join(directory, file), 'utf8').matchAll(CASE)])
    .map(([, id = '', title = '']) => ({ id, title }));
}

export class PythonRun {
  readonly #results = new Map<string, Result>();
  readonly #waits = new Waits();
  #said = '';

  constructor(
    python: string,
    server: { readonly base_url: string; readonly key: string; readonly models: Readonly<Record<string, string>> },
  ) {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' };
    const child = spawn(python, [join(__dirname, 'main.py')], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const result = JSON.parse(line) as Result;
      this.#results.set(result.id, result);
      this.#waits.changed();
    });
    child.stderr.on('data', (part: Buffer) => (this.#said += part.toString()));
    child.stdin.end(JSON.stringify(server));
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('close', () => process.off('exit', endWithUs));
  }

  /** Resolves when this case has passed; throws its traceback when it has failed. */
  async passed(id: string): Promise<void> {
    const result = await this.#waits
      .until(`the result of ${id}`, () => this.#results.get(id), RESULT_WITHIN_MS)
      .catch((error: Error) => Promise.reject(new Error(`${error.message}. Python said: ${this.#said}`)));
    if (!result.ok) throw new Error(result.error ?? 'it failed without a word');
  }
}

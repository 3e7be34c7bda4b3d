/**
 * A throw-away PostgreSQL cluster of Debian's binaries on a Unix socket. The server refuses root,
 * so under root it runs as `postgres` or `nobody`.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';

export interface PostgresCluster {
  readonly version: string;
  /** The URL of an empty schema of its own: 20 times as cheap as a database. */
  createSchema(): Promise<string>;
  /** Every connection is cut, as when the server is restarted under the store. Resolves when none is left. */
  disconnectAll(): Promise<void>;
  stop(): Promise<void>;
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Bounds the wait for the end of one connection. */
const GONE_WITHIN_MS = 10_000;

const debianBinaries = '/usr/lib/postgresql';

/** The newest version's directory, or null when none is installed. */
export function postgresBinaries(): string | null {
  if (!existsSync(debianBinaries)) return null;
  const versions = readdirSync(debianBinaries).sort((a, b) => Number(b) - Number(a));
  const found = versions
    .map((version) => join(debianBinaries, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
  return found ?? null;
}

function unprivileged(): Identity | null {
  if (process.getuid?.() !== 0) return null;
  for (const user of ['postgres', 'nobody']) {
    const id = (flag: string) => spawnSync('id', [flag, user], { encoding: 'utf8' });
    const uid = id('-u');
    if (uid.status === 0) return { uid: Number(uid.stdout), gid: Number(id('-g').stdout) };
  }
  throw new Error('PostgreSQL does not run as root and there is neither a user postgres nor a user nobody');
}

export async function startPostgres(bin: string): Promise<PostgresCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'soai-pg-'));
  const identity = unprivileged();
  if (identity) chownSync(directory, identity.uid, identity.gid);
  chmodSync(directory, 0o700);
  const as = { ...identity, cwd: directory };
  const data = join(directory, 'data');
  const setUp = ['-D', data, '-U', 'soai', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), setUp, { ...as, stdio: 'pipe' });
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  await ready(server);

  const url = `postgres://soai@localhost/postgres?host=${directory}`;
  const administrator = new Client({ connectionString: url });
  await administrator.connect();
  const { rows } = await administrator.query<{ server_version: string }>('SHOW server_version');
  return {
    version: rows[0]?.server_version ?? 'unknown',
    createSchema: async () => {
      const name = `t${randomUUID().replaceAll('-', '')}`;
      await administrator.query(`CREATE SCHEMA ${name}`);
      return `${url}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    disconnectAll: async () => {
      await administrator.query(
        `SELECT pg_terminate_backend(pid, ${GONE_WITHIN_MS}) FROM pg_stat_activity
         WHERE pid <> pg_backend_pid() AND application_name = 'soai'`,
      );
    },
    stop: async () => {
      await administrator.end();
      const exited = once(server, 'exit');
      // Immediate shutdown: nothing of it is kept.
      server.kill('SIGQUIT');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves at the server's own word; rejects with what it said when it ends instead. */
async function ready(server: ChildProcess): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stderr! }).on('line', (line) => {
      said.push(line);
      if (line.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said.join('\n')}`)));
  });
}

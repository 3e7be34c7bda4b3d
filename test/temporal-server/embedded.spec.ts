/** Spec C6 and S53, with the real server. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../activities/engine';
import { startEmbeddedTemporal, untilUp } from '../../activities/temporal-server';
import { cachedBinaryPath, findTemporalBinary } from '../../activities/temporal-server/binary';
import { identify, isAlive, type ProcessIdentity } from '../../activities/temporal-server/process-identity';
import { silentLog as log } from './silent-log';

jest.setTimeout(60_000);

const namespace = 'soai';
const directories: string[] = [];
const engines: Engine[] = [];
const owners: ChildProcessByStdio<null, Readable, null>[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  for (const owner of owners.splice(0)) owner.kill('SIGKILL');
  await Promise.all(directories.splice(0).map((dir) => rm(dir, { recursive: true })));
});

async function newDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'soai-temporal-'));
  directories.push(dir);
  return dir;
}

async function start(dataDir: string): Promise<Engine> {
  const engine = await startEmbeddedTemporal({ dataDir, namespace, log });
  engines.push(engine);
  return engine;
}

async function startUp(dataDir: string): Promise<Engine> {
  const engine = await start(dataDir);
  expect(await untilUp(engine, 20_000)).toBe(true);
  return engine;
}

async function stop(engine: Engine): Promise<void> {
  engines.splice(engines.indexOf(engine), 1);
  await engine.stop();
}

/** Another process that owns the server of `dataDir`; resolves when that server is up. */
async function startOwner(dataDir: string) {
  const register = resolve(__dirname, '../register-typescript.cjs');
  const owner = spawn(process.execPath, ['-r', register, join(__dirname, 'owner.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  owners.push(owner);
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  expect(line.toString()).toMatch(/^up /);
  return owner;
}

function childOf(dataDir: string): ProcessIdentity {
  return (JSON.parse(readFileSync(join(dataDir, 'run/temporal.json'), 'utf8')) as { child: ProcessIdentity }).child;
}

/** Local addresses, in /proc's hexadecimal form, on which the process listens. */
function listeningAddressesOf(pid: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // Closed meanwhile.
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && sockets.has(fields[9] ?? ''))
      .map((fields) => fields[1]!),
  );
}

async function eventually(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  for (const until = Date.now() + withinMs; !(await condition()); await delay(10)) {
    if (Date.now() > until) throw new Error(`not within ${withinMs} ms: ${condition.toString()}`);
  }
}

test('C6: starts, serves its namespace, keeps its files private, leaves nothing behind', async () => {
  const dir = await newDataDir();
  const engine = await start(dir);
  expect(engine.state).toBe('starting');
  expect(await untilUp(engine, 20_000)).toBe(true);
  const child = childOf(dir);
  // The console starts a moment after the server.
  await eventually(async () => (await fetch(`${engine.consoleUrl}/api/v1/namespaces/soai`)).ok, 10_000);
  expect((await stat(join(dir, 'temporal.db'))).mode & 0o077).toBe(0);
  await stop(engine);
  expect(engine.state).toBe('down');
  expect(isAlive(child)).toBe(false);
  expect(await readdir(join(dir, 'run'))).toEqual([]);
});

test('C6: a restart keeps the addresses and the database', async () => {
  const dir = await newDataDir();
  const first = await startUp(dir);
  const { address, consoleUrl } = first;
  await stop(first);
  const second = await startUp(dir);
  expect({ address: second.address, consoleUrl: second.consoleUrl }).toEqual({ address, consoleUrl });
  expect((await readdir(dir)).filter((name) => name.startsWith('temporal.db.'))).toEqual([]);
});

test('S53: every port of the server listens on loopback only', async () => {
  const dir = await newDataDir();
  await startUp(dir);
  const listening = listeningAddressesOf(childOf(dir).pid);
  expect(listening.length).toBeGreaterThan(3);
  expect(listening.filter((address) => !address.startsWith('0100007F:'))).toEqual([]);
});

test('C6: a killed server is started again by itself, and each change is told', async () => {
  const dir = await newDataDir();
  const engine = await startUp(dir);
  const seen: string[] = [];
  engine.onChange((state) => seen.push(state));
  const { address } = engine;
  const killed = childOf(dir);
  process.kill(killed.pid, 'SIGKILL');
  await eventually(() => engine.state === 'down', 2000);
  expect(await untilUp(engine, 20_000)).toBe(true);
  expect(seen).toEqual(['down', 'starting', 'up']);
  expect(engine.address).toBe(address);
  expect(childOf(dir).pid).not.toBe(killed.pid);
});

test('C6: a frozen server is reported down and is up again when it thaws', async () => {
  const dir = await newDataDir();
  const engine = await startUp(dir);
  process.kill(childOf(dir).pid, 'SIGSTOP');
  await eventually(() => engine.state === 'down', 10_000);
  process.kill(childOf(dir).pid, 'SIGCONT');
  expect(await untilUp(engine, 10_000)).toBe(true);
});

test('C6: SIGKILL of its owner ends the server at once', async () => {
  const dir = await newDataDir();
  const owner = await startOwner(dir);
  const child = childOf(dir);
  expect(isAlive(child)).toBe(true);
  owner.kill('SIGKILL');
  await eventually(() => !isAlive(child), 1000);
  await startUp(dir);
});

test('C6: a server left by an earlier run is ended by the next start within 1 s', async () => {
  const dir = await newDataDir();
  const orphan = spawn(
    process.execPath,
    ['-e', 'process.on("SIGTERM",()=>{});console.log(1);setInterval(()=>{},1e3)'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(orphan.stdout, 'data');
  const child = identify(orphan.pid!);
  await mkdir(join(dir, 'run'));
  await writeFile(join(dir, 'run/temporal.json'), JSON.stringify({ owner: { pid: 4_194_304, start: '1' }, child }));
  const from = Date.now();
  await start(dir);
  expect(isAlive(child)).toBe(false);
  expect(Date.now() - from).toBeLessThan(1500);
});

test('C6: a data directory whose owner lives is refused', async () => {
  const dir = await newDataDir();
  const owner = await startOwner(dir);
  await expect(start(dir)).rejects.toThrow(`process ${owner.pid}`);
  expect(isAlive(childOf(dir))).toBe(true);
});

test('C6: two data directories run side by side', async () => {
  const [one, two] = await Promise.all([newDataDir(), newDataDir()]);
  const [first, second] = await Promise.all([startUp(one), startUp(two)]);
  expect(first.address).not.toBe(second.address);
});

test('C6: a remembered port that another program took is replaced', async () => {
  const dir = await newDataDir();
  const first = await startUp(dir);
  const { address } = first;
  await stop(first);
  const other = createServer().listen(Number(address.split(':')[1]), '127.0.0.1');
  await once(other, 'listening');
  const second = await startUp(dir);
  other.close();
  expect(second.address).not.toBe(`127.0.0.1:${(other.address() as AddressInfo | null)?.port}`);
  expect(second.address).not.toBe(address);
});

test('C6: the database of another server version is set aside, not opened', async () => {
  const dir = await newDataDir();
  await stop(await startUp(dir));
  const pin = JSON.parse(readFileSync(join(dir, 'temporal.json'), 'utf8')) as object;
  await writeFile(join(dir, 'temporal.json'), JSON.stringify({ ...pin, server: '1.0.0' }));
  await startUp(dir);
  expect((await readdir(dir)).filter((name) => name.startsWith('temporal.db.1.0.0-'))).not.toEqual([]);
});

test('C6: a database that the server cannot start on is set aside after three tries', async () => {
  const dir = await newDataDir();
  await stop(await startUp(dir));
  await Promise.all(['-wal', '-shm'].map((suffix) => rm(join(dir, `temporal.db${suffix}`), { force: true })));
  await writeFile(join(dir, 'temporal.db'), 'this is not a database, whatever its name says'.repeat(500));
  const engine = await start(dir);
  expect(await untilUp(engine, 30_000)).toBe(true);
  expect((await readdir(dir)).some((name) => name.startsWith('temporal.db.unusable-'))).toBe(true);
});

test('C6: without an executable the start goes on, and one that is installed later is used', async () => {
  const real = await findTemporalBinary();
  const dataDir = await newDataDir();
  const cacheDir = await newDataDir();
  const { PATH, GOPATH, GOBIN } = process.env;
  Object.assign(process.env, { PATH: cacheDir, GOPATH: cacheDir, GOBIN: cacheDir });
  try {
    const engine = await startEmbeddedTemporal({ dataDir, cacheDir, namespace, log });
    engines.push(engine);
    expect(engine.state).toBe('down');
    await mkdir(dirname(cachedBinaryPath(cacheDir)), { recursive: true });
    await symlink(real!.path, cachedBinaryPath(cacheDir));
    expect(await untilUp(engine, 20_000)).toBe(true);
  } finally {
    process.env['PATH'] = PATH;
    for (const [name, value] of Object.entries({ GOPATH, GOBIN })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

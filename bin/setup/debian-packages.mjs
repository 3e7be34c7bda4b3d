// What the tests use of the system. Installed where that is ours to do; else the tests that need it are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { note, step } from './progress.mjs';
import { run } from './run.mjs';
import { which } from './which.mjs';

const NEEDS = [
  {
    package: 'chromium',
    isPresent: () => which('chromium') ?? which('chromium-browser') ?? which('google-chrome'),
    for: 'browser',
  },
  { package: 'postgresql', isPresent: () => which('postgres') ?? debianPostgres(), for: 'PostgreSQL' },
  {
    package: 'python3-venv',
    isPresent: () => spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0,
    for: 'Python client',
  },
];

export async function installTestPackages() {
  const missing = NEEDS.filter((need) => !need.isPresent());
  if (missing.length === 0) return;
  const names = missing.map((need) => need.package);
  if (which('apt-get') && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    try {
      await step(`Installing ${names.join(' and ')} for the tests`, async (tell) => {
        const onLine = (/** @type {string} */ line) => tell(line.slice(0, 60));
        await run('apt-get', ['update'], { env, onLine });
        await run('apt-get', ['install', '-y', '--no-install-recommends', ...names], { env, onLine });
      });
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
    }
  }
  for (const need of missing.filter((each) => !each.isPresent())) {
    note(`${need.package} is not installed: the ${need.for} tests are skipped (apt-get install -y ${need.package})`);
  }
}

/** Debian keeps the server program off PATH. */
function debianPostgres() {
  const versions = '/usr/lib/postgresql';
  return (
    existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/postgres`))
  );
}

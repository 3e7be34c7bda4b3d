/** The last words of a start: where everything is, how to get in, and a command to try (on stderr), then the ready line. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Catalogue } from '../activities/catalogue';
import type { Engine } from '../activities/engine';
import type { Settings } from '../config/schema';
import type { Store } from '../store/store';
import { newApiKey } from './auth/api-key-format';
import { SETUP_TOKEN_TTL_MS, newSetupToken } from './auth/setup-token';

export interface Announcement {
  readonly store: Store;
  readonly settings: Settings;
  /** The settings file in use, or null. */
  readonly file: string | null;
  readonly url: string;
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly log: Logger;
}

export async function announce(facts: Announcement): Promise<void> {
  const { engine, url, log } = facts;
  const lines = [
    '',
    `  WebUI             ${url}/`,
    `  API               ${url}/v1`,
    `  Temporal console  ${engine.consoleUrl ?? `none known for ${engine.address}`}`,
    ...(await setUpLines(facts)),
    ...(await tryItLines(facts)),
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  log.info({ webui: `${url}/`, api: `${url}/v1`, console: engine.consoleUrl, engine: engine.state }, 'ready');
}

async function setUpLines({ store, url }: Announcement): Promise<string[]> {
  const admin = await store.accounts.byName('admin');
  if (!admin || admin.passwordHash !== null) return [];
  const { token, hash } = newSetupToken();
  await store.sessions.putSetupToken(hash, Date.now() + SETUP_TOKEN_TTL_MS);
  return [
    `  Set up            ${url}/setup?token=${token}`,
    '                    (once, from this machine, within 24 hours)',
  ];
}

async function tryItLines(facts: Announcement): Promise<string[]> {
  const model = facts.catalogue.all().find((each) => each.enabled && each.capabilities.includes('chat'));
  if (!model) {
    return [
      '',
      '  No model yet. Add one to the settings file (docs/configuration.md), or',
      '  restart with: npm start -- --model FILE_OR_URL   (a GGUF model)',
    ];
  }
  const key = await firstKey(facts);
  const body = JSON.stringify({ model: model.id, messages: [{ role: 'user', content: 'Say hello.' }] });
  const config = facts.file === null ? '' : ` --config ${facts.file}`;
  const makeKey = key === null ? [`  Make a key        bin/soai key create my-app --user admin${config}`] : [];
  return [
    ...makeKey,
    '',
    '  Try it:',
    `  curl ${facts.url}/v1/chat/completions -H 'Content-Type: application/json' \\`,
    `    -H "Authorization: Bearer ${key ?? '$SOAI_API_KEY'}" \\`,
    `    -d '${body}'`,
  ];
}

/** A working key on a terminal, once: only where nobody has made one yet. */
async function firstKey({ store }: Announcement): Promise<string | null> {
  if (!process.stderr.isTTY || (await store.keys.list()).length > 0) return null;
  const admin = await store.accounts.byName('admin');
  if (!admin) return null;
  const { key, prefix, hash } = newApiKey();
  const unset = { expiresAt: null, revokedAt: null, lastUsedAt: null };
  await store.keys.create({
    id: `key_${randomUUID()}`,
    name: 'first-start',
    accountId: admin.id,
    prefix,
    hash,
    createdAt: Date.now(),
    ...unset,
  });
  return key;
}

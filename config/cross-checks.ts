/** Checks that span several settings. Each gives the path to point at and a sentence. */
import { isIP } from 'node:net';
import type { SettingPath } from './fault';
import type { Settings } from './schema';

export interface CrossFinding {
  readonly path: SettingPath;
  readonly message: string;
  /** A warning is shown and does not stop anything. */
  readonly severity: 'fault' | 'warning';
}

type Check = (settings: Settings) => CrossFinding[];

export function crossCheck(settings: Settings): CrossFinding[] {
  return CHECKS.flatMap((check) => check(settings));
}

const fault = (path: SettingPath, message: string): CrossFinding => ({ path, message, severity: 'fault' });
const warning = (path: SettingPath, message: string): CrossFinding => ({ path, message, severity: 'warning' });

/** Spec C1: a lease that ends before anyone looks for it hands live work to a second worker. */
const leaseOutlivesSweep: Check = ({ MODELS: { ROUTING } }) => {
  const { DURABLE_QUEUE_LEASE_TTL_SEC: ttl, DURABLE_QUEUE_RECOVERY_SWEEP_SEC: sweep } = ROUTING;
  if (ttl > sweep) return [];
  const path = ['MODELS', 'ROUTING', 'DURABLE_QUEUE_LEASE_TTL_SEC'];
  return [fault(path, `must be more than DURABLE_QUEUE_RECOVERY_SWEEP_SEC (${sweep})`)];
};

const retryDelaysInOrder: Check = ({ MODELS: { ROUTING } }) =>
  ROUTING.RETRY.MAX_DELAY_SEC >= ROUTING.RETRY.BASE_DELAY_SEC
    ? []
    : [fault(['MODELS', 'ROUTING', 'RETRY', 'MAX_DELAY_SEC'], 'must not be less than BASE_DELAY_SEC')];

const databaseUrl: Check = ({ DATABASE }) => {
  if (DATABASE.TYPE === 'postgres' && DATABASE.URL === null) {
    return [fault(['DATABASE', 'URL'], 'is required with DATABASE.TYPE postgres')];
  }
  if (DATABASE.TYPE === 'sqlite' && DATABASE.URL !== null) {
    return [fault(['DATABASE', 'URL'], 'is only for DATABASE.TYPE postgres')];
  }
  return [];
};

const uniquePlugins: Check = ({ PLUGINS }) =>
  duplicates(PLUGINS.map(({ ID }, i) => ({ name: ID, path: ['PLUGINS', i, 'ID'] })));

/** Spec D2: model ids, aliases and virtual models share one name space, without regard to case. */
const uniqueModelNames: Check = ({ MODELS }) =>
  duplicates([
    ...MODELS.CATALOG.flatMap(({ ID, ALIASES }, i) => [
      { name: ID, path: ['MODELS', 'CATALOG', i, 'ID'] },
      ...ALIASES.map((name, j) => ({ name, path: ['MODELS', 'CATALOG', i, 'ALIASES', j] })),
    ]),
    ...MODELS.ROUTING.VIRTUAL_MODELS.map(({ NAME }, i) => ({
      name: NAME,
      path: ['MODELS', 'ROUTING', 'VIRTUAL_MODELS', i, 'NAME'],
    })),
  ]);

const virtualMembers: Check = ({ MODELS }) => {
  const virtual = new Set(MODELS.ROUTING.VIRTUAL_MODELS.map(({ NAME }) => NAME.toLowerCase()));
  const catalogue = new Map(MODELS.CATALOG.map((model) => [model.ID, model]));
  const aliases = new Map(MODELS.CATALOG.flatMap(({ ID, ALIASES }) => ALIASES.map((alias) => [alias, ID] as const)));
  return MODELS.ROUTING.VIRTUAL_MODELS.flatMap(({ MEMBERS }, i) => {
    const at = (j: number) => ['MODELS', 'ROUTING', 'VIRTUAL_MODELS', i, 'MEMBERS', j];
    const repeated = duplicates(MEMBERS.map((name, j) => ({ name, path: at(j) })));
    const unfit = MEMBERS.flatMap((member, j) => {
      if (virtual.has(member.toLowerCase())) return [fault(at(j), 'is a virtual model, which cannot be a member')];
      const model = catalogue.get(member);
      if (model) return model.ENABLED ? [] : [warning(at(j), `${member} is disabled, so it is never chosen`)];
      const id = aliases.get(member);
      if (id !== undefined) return [fault(at(j), `is an alias; name the model itself, ${id}`)];
      return [warning(at(j), `${member} is not in MODELS.CATALOG; unless the database has it, it is never chosen`)];
    });
    return [...repeated, ...unfit];
  });
};

const pluginsExist: Check = ({ PLUGINS, MODELS }) => {
  const ids = new Set(PLUGINS.map(({ ID }) => ID));
  return MODELS.CATALOG.flatMap(({ PLUGIN }, i) => {
    if (ids.has(PLUGIN)) return [];
    const message = `${PLUGIN} is not in PLUGINS; unless the database has it, the model stays unavailable`;
    return [warning(['MODELS', 'CATALOG', i, 'PLUGIN'], message)];
  });
};

const beyondLoopback: Check = ({ SERVER: { HOST } }) => {
  const loopback = HOST === 'localhost' || HOST === '::1' || (isIP(HOST) === 4 && HOST.startsWith('127.'));
  if (loopback) return [];
  return [
    warning(
      ['SERVER', 'HOST'],
      'listens beyond this machine; every caller needs a key or a session, but keys travel in clear text without TLS',
    ),
  ];
};

const CHECKS: readonly Check[] = [
  leaseOutlivesSweep,
  retryDelaysInOrder,
  databaseUrl,
  uniquePlugins,
  uniqueModelNames,
  virtualMembers,
  pluginsExist,
  beyondLoopback,
];

function duplicates(names: readonly { name: string; path: SettingPath }[]): CrossFinding[] {
  const seen = new Map<string, string>();
  return names.flatMap(({ name, path }) => {
    const first = seen.get(name.toLowerCase());
    if (first !== undefined) return [fault(path, `${name} is taken already by ${first}`)];
    seen.set(name.toLowerCase(), path.join('.'));
    return [];
  });
}

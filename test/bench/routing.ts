/**
 * What routing one request over 1,000 members costs, the reading of models, plugins, circuits and load included.
 * Wall clock: on a busy machine start it with a priority that keeps others from its core.
 */
import type { Catalogue, CatalogueModel } from '../../activities/catalogue';
import { closedCircuits } from '../../activities/circuits';
import { NOT_QUARANTINED } from '../../activities/hosted-plugin';
import type { PluginHost } from '../../activities/plugin-host';
import { Router } from '../../activities/router';
import { readRequirements } from '../../workflows/rules/routing/requirements';

const MEMBERS = 1_000;
const WARM_UP = 1_000;
const ROUNDS = 5_000;

const names = Array.from({ length: MEMBERS }, (_, at) => `model-${at}`);
const models = new Map(
  names.map((id, at) => [
    id,
    { id, pluginId: `plugin-${at % 50}`, enabled: at % 10 !== 0, capabilities: ['chat', 'tools'], modalities: ['text'], contextTokens: 8_192 } as unknown as CatalogueModel, // prettier-ignore
  ]),
);
const plugin = { enabled: true, incompatible: null, quarantine: NOT_QUARANTINED, draining: false, adapter: null };
const virtual = { name: 'team', strategy: 'load_balancing', members: names, enabled: true };

const router = new Router({
  catalogue: { find: (id: string) => models.get(id), virtual: () => virtual } as unknown as Catalogue,
  plugins: { get: () => plugin } as unknown as PluginHost,
  circuits: closedCircuits,
  scheduler: {
    loadOf: (id: string) => ({ running: id.length % 3, waiting: 0 }),
    wouldSwap: () => false,
  },
  mayUse: () => true,
  settings: { windowMs: 15_000, rotate: true, triesPerMember: 1 },
  now: Date.now,
});

const body = { messages: [{ role: 'user', content: 'hello '.repeat(200) }], tools: [{ type: 'function' }] };
const took: number[] = [];
for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
  const start = performance.now();
  const requirements = readRequirements('chat', body);
  const route = router.route({ virtualModel: 'team', members: names, accountId: 'a', requirements });
  if (route.kind === 'targets') router.bind(`task-${round}`, 'team', route.first);
  if (round >= WARM_UP) took.push(performance.now() - start);
}
took.sort((a, b) => a - b);
const at = (share: number): string => `${took[Math.floor(took.length * share)]!.toFixed(3)} ms`;
process.stdout.write(`routing over ${MEMBERS} members: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}\n`);

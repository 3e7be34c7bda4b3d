import fc from 'fast-check';
import { explain } from './explain';
import type { Member } from './member';
import type { Requirements } from './requirements';
import { route, type RouteInput } from './route';
import { NOTHING_TRIED } from './tried';

const member = (modelId: string, fields: Partial<Member> = {}): Member => ({
  modelId,
  pluginId: `p-${modelId}`,
  active: true,
  enabled: true,
  capabilities: ['chat'],
  modalities: ['text'],
  contextTokens: null,
  pluginProblem: null,
  circuit: 'closed',
  probing: false,
  cooldownUntil: 0,
  permitted: true,
  onThisNode: true,
  reserved: 0,
  pluginLoad: 0,
  swap: false,
  ...fields,
});

const ask = (members: readonly Member[], fields: Partial<RouteInput> = {}) =>
  route({
    members,
    requirements: { operation: 'chat', features: [], modalities: ['text'], contextTokens: 10 },
    tried: NOTHING_TRIED,
    strategy: 'failover',
    turns: null,
    windowUntil: 0,
    now: 1_000,
    ...fields,
  });
const planOf = (members: readonly Member[], fields: Partial<RouteInput> = {}): string[] =>
  ask(members, fields).plan.map(({ modelId, dropped }) => (dropped === null ? modelId : `${modelId}:${dropped}`));

describe('D3: each drop has its reason', () => {
  test.each<[string, Partial<Member>]>([
    ['not_permitted', { permitted: false, enabled: false }],
    ['inactive', { active: false }],
    ['disabled', { enabled: false, pluginProblem: 'plugin_error' }],
    ['missing_capability:chat', { capabilities: ['embeddings'] }],
    ['missing_modality:text', { modalities: ['image'] }],
    ['context_too_small', { contextTokens: 9 }],
    ['plugin_quarantined', { pluginProblem: 'plugin_quarantined', circuit: 'open' }],
    ['not_on_this_node', { onThisNode: false }],
    ['circuit_open', { circuit: 'open', cooldownUntil: 2_000 }],
    ['circuit_probing', { circuit: 'half_open', probing: true }],
    ['cooldown', { cooldownUntil: 1_001 }],
  ])('%s', (reason, fields) => expect(planOf([member('a', fields), member('b')])).toEqual(['b', `a:${reason}`]));

  test('unknown capabilities, modalities and contexts, and a cooldown that is over, are no reason', () => {
    const open = member('a', { capabilities: [], modalities: [], contextTokens: null, cooldownUntil: 1_000 });
    expect(planOf([open])).toEqual(['a']);
  });
});

describe('D4: the order', () => {
  test('failover keeps the configured one, whatever the load', () => {
    expect(planOf([member('a', { reserved: 50, swap: true }), member('b')])).toEqual(['a', 'b']);
  });

  test('load balancing goes by reserved work, the plugin’s load and a model swap', () => {
    const members = [
      member('swap', { swap: true }),
      member('busy', { reserved: 2, pluginLoad: 2 }),
      member('idle'),
      member('plugin-busy', { pluginLoad: 3 }),
    ];
    expect(planOf(members, { strategy: 'load_balancing' })).toEqual(['idle', 'plugin-busy', 'busy', 'swap']);
  });

  test('equal scores at the front take turns, the longest ago first; the others stay as configured', () => {
    const members = [member('a'), member('b'), member('c'), member('d', { reserved: 1 }), member('e', { reserved: 1 })];
    const turns = new Map([['a', 2], ['b', 1], ['d', 9]]); // prettier-ignore
    expect(planOf(members, { strategy: 'load_balancing', turns })).toEqual(['c', 'b', 'a', 'd', 'e']);
    expect(planOf(members, { strategy: 'load_balancing' })).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('G18: three equal members over 1,000 requests get 31 to 36 % each', () => {
    const members = [member('a'), member('b'), member('c')];
    const turns = new Map<string, number>();
    const counts = new Map<string, number>();
    for (let turn = 0; turn < 1_000; turn += 1) {
      const decision = ask(members, { strategy: 'load_balancing', turns });
      if (decision.kind !== 'targets') throw new Error(decision.kind);
      turns.set(decision.first.modelId, turn);
      counts.set(decision.first.modelId, (counts.get(decision.first.modelId) ?? 0) + 1);
    }
    for (const { modelId } of members) expect(Math.abs(counts.get(modelId)! - 333)).toBeLessThanOrEqual(25);
  });

  test('E: a half-open member comes first, so that one request tells whether it is back', () => {
    const half = member('b', { circuit: 'half_open', reserved: 9 });
    expect(planOf([member('a'), half])).toEqual(['b', 'a']);
    expect(planOf([member('a'), half], { strategy: 'load_balancing' })).toEqual(['b', 'a']);
  });
});

describe('D7: nothing eligible', () => {
  test('an untried member held out only by a cooldown defers until the first of those ends', () => {
    const members = [member('a', { cooldownUntil: 3_000 }), member('b', { cooldownUntil: 2_000 })];
    expect(ask(members)).toMatchObject({ kind: 'deferred', untilMs: 2_000 });
    expect(ask([...members, member('c', { enabled: false })])).toMatchObject({ kind: 'deferred', untilMs: 2_000 });
  });

  test('a cooldown of a member that could not serve anyway is nothing to wait for', () => {
    const members = [member('a', { cooldownUntil: 3_000, capabilities: ['embeddings'] })];
    expect(ask(members).kind).toBe('none');
    const tried = { done: new Set(['a']), hadItsTries: null };
    expect(ask([member('a', { cooldownUntil: 3_000 })], { tried }).kind).toBe('none');
    expect(ask([member('a', { cooldownUntil: 3_000, circuit: 'open' })]).kind).toBe('none');
  });

  test('the virtual model’s own window defers requests that have not begun, and only what could be served', () => {
    const window = { windowUntil: 5_000 };
    expect(ask([member('a')], window)).toMatchObject({ kind: 'deferred', untilMs: 5_000 });
    expect(planOf([member('a')], window)).toEqual(['a:virtual_model_cooldown']);
    expect(ask([member('a', { cooldownUntil: 2_000 })], window)).toMatchObject({ kind: 'deferred', untilMs: 5_000 });
    expect(ask([member('a', { enabled: false })], window).kind).toBe('none');
    const tried = { done: new Set(['b']), hadItsTries: null };
    expect(ask([member('a'), member('b')], { ...window, tried }).kind).toBe('targets');
    expect(ask([member('a')], { windowUntil: 1_000 }).kind).toBe('targets');
  });

  test('the sentence names the requirement and each member’s lack, and nobody the caller may not use', () => {
    const members = [member('a'), member('b', { enabled: false }), member('secret', { permitted: false })];
    const requirements: Requirements = { operation: 'chat', features: ['tools'], modalities: [], contextTokens: 0 };
    const { sentence, requestsFault } = explain('team', ask(members, { requirements }).plan);
    expect(sentence).toBe(
      "No member of 'team' can serve this request. It asks for the capability tools. Members: a lacks tools; b is disabled.",
    );
    expect(requestsFault).toBe(false);
    expect(explain('team', ask([member('a')], { requirements }).plan).requestsFault).toBe(true);
    expect(explain('team', ask([member('secret', { permitted: false })]).plan).sentence).not.toContain('secret');
  });
});

test('D6: a member that had its tries waits behind every other eligible one, and is tried when there is none', () => {
  const tried = { done: new Set<string>(), hadItsTries: 'a' };
  expect(planOf([member('a'), member('b')], { tried })).toEqual(['b', 'a:tried']);
  expect(planOf([member('a'), member('b', { cooldownUntil: 2_000 })], { tried })).toEqual(['a', 'b:cooldown']);
});

const anyMember = fc.record({
  enabled: fc.boolean(),
  capabilities: fc.subarray(['chat', 'tools', 'embeddings']),
  pluginProblem: fc.option(fc.constant('plugin_error'), { freq: 4 }),
  circuit: fc.constantFrom<Member['circuit']>('closed', 'closed', 'closed', 'open', 'half_open'),
  probing: fc.boolean(),
  cooldownUntil: fc.constantFrom(0, 500, 1_500, 2_500),
  permitted: fc.boolean(),
  reserved: fc.nat(3),
  pluginLoad: fc.nat(3),
  swap: fc.boolean(),
});
const anyMembers = fc
  .array(anyMember, { minLength: 1, maxLength: 8 })
  .map((list) => list.map((fields, at) => member(`m${at}`, fields)));
const anyStrategy = fc.constantFrom<RouteInput['strategy']>('failover', 'load_balancing');

test('D3, D4: a plan holds each member once, no ineligible one as a target, and keeps the order', () => {
  fc.assert(
    fc.property(anyMembers, anyStrategy, (members, strategy) => {
      const { plan } = ask(members, { strategy });
      expect(plan.map(({ modelId }) => modelId).sort()).toEqual(members.map(({ modelId }) => modelId).sort());
      const targets = plan.filter(({ dropped }) => dropped === null).map(({ modelId }) => modelId);
      for (const id of targets) {
        const one = members.find(({ modelId }) => modelId === id)!;
        expect(one.permitted && one.enabled && one.pluginProblem === null && one.circuit !== 'open').toBe(true);
        expect(one.cooldownUntil).toBeLessThanOrEqual(1_000);
      }
      if (strategy !== 'failover') return;
      const probe = targets.find((id) => members.find(({ modelId }) => modelId === id)!.circuit === 'half_open');
      const configured = members.map(({ modelId }) => modelId).filter((id) => targets.includes(id));
      expect(targets).toEqual(probe ? [probe, ...configured.filter((id) => id !== probe)] : configured);
    }),
  );
});

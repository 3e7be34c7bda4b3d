/** Whole requests over random members and failures: the rules of this room together, as an attempt uses them. */
import fc from 'fast-check';
import { classify, type RetrySettings } from '../retry';
import type { FailureFacts } from '../vocabulary';
import { afterMemberFailure } from './after-call';
import type { Member } from './member';
import type { Requirements } from './requirements';
import { route } from './route';
import { triedMembers, type PastCall } from './tried';
import { afterFailure, NO_WINDOWS, windowEnd } from './windows';

const RETRY: RetrySettings = { transientRetries: 3, rateLimitCalls: 10, maxCalls: 13, baseDelayMs: 1_000, maxDelayMs: 30_000 }; // prettier-ignore
const WINDOW_MS = 15_000;
const REQUIREMENTS: Requirements = { operation: 'chat', features: [], modalities: [], contextTokens: 0 };

const FAILURES: readonly (FailureFacts | null)[] = [
  null,
  { kind: 'transport' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 400 },
  { kind: 'malformed' },
];

interface Walk {
  readonly calls: readonly PastCall[];
  readonly end: 'answered' | 'rejected' | 'failed' | 'none';
  readonly endedAt: number;
}

/** One request with nobody else about; `behaviour` of a member is drawn for each of its calls. */
function walk(
  members: readonly Member[],
  triesPerMember: number,
  behaviour: (modelId: string) => FailureFacts | null,
): Walk {
  let windows = NO_WINDOWS;
  let now = 0;
  const calls: PastCall[] = [];
  const view = () =>
    route({
      members: members.map((member) => ({
        ...member,
        cooldownUntil: Math.max(member.cooldownUntil, windowEnd(windows.members, member.modelId, now)),
      })),
      requirements: REQUIREMENTS,
      tried: triedMembers(calls, triesPerMember),
      strategy: 'failover',
      turns: null,
      windowUntil: windowEnd(windows.virtualModels, 'team', now),
      now,
    });

  for (let step = 0; step < 1_000; step += 1) {
    const decision = view();
    if (decision.kind === 'none') return { calls, end: calls.length > 0 ? 'failed' : 'none', endedAt: now };
    if (decision.kind === 'deferred') {
      now = decision.untilMs;
      continue;
    }
    const { first } = decision;
    const failure = behaviour(first.modelId);
    if (failure === null) return { calls, end: 'answered', endedAt: now };
    const failureClass = classify(failure);
    calls.push({ ...first, failure: failureClass, again: false });
    const earlier = calls.filter(({ modelId }) => modelId === first.modelId).map((call) => call.failure!);
    const others = route({
      members,
      requirements: REQUIREMENTS,
      tried: triedMembers(calls, triesPerMember),
      strategy: 'failover',
      turns: null,
      windowUntil: 0,
      now,
    });
    const after = afterMemberFailure({
      failure,
      failureClass,
      earlier,
      retryAfterMs: null,
      settings: RETRY,
      random: 0,
      probe: false,
      triesPerMember,
      othersEligible: others.kind === 'targets',
    });
    if (after.kind === 'end') return { calls, end: 'rejected', endedAt: now };
    if (after.kind === 'again') {
      calls[calls.length - 1] = { ...calls.at(-1)!, again: true };
      now += after.delayMs;
    } else {
      windows = afterFailure(windows, { kind: 'member_failed', modelId: first.modelId }, WINDOW_MS, now);
    }
  }
  throw new Error('the request does not end');
}

const anyMembers = fc
  .array(fc.record({ enabled: fc.boolean(), cooldownUntil: fc.constantFrom(0, 0, 4_000, 40_000) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((list) =>
    list.map((fields, at): Member => ({
      modelId: `m${at}`,
      pluginId: `p${at}`,
      active: true,
      capabilities: [],
      modalities: [],
      contextTokens: null,
      pluginProblem: null,
      circuit: 'closed',
      probing: false,
      permitted: true,
      onThisNode: true,
      reserved: 0,
      pluginLoad: 0,
      swap: false,
      ...fields,
    })),
  );

test('D6, T32: every request ends; a member that was left is never called again; calls stay in their budgets', () => {
  fc.assert(
    fc.property(
      anyMembers,
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.nat(FAILURES.length - 1)),
      (members, tries, draws) => {
        const { calls } = walk(members, tries, () => FAILURES[draws.next().value as number] ?? null);
        const visited = calls.map(({ modelId }) => modelId).filter((id, at, all) => id !== all[at - 1]);
        expect(new Set(visited).size).toBe(visited.length);
        for (const id of visited) {
          const there = calls.filter(({ modelId }) => modelId === id);
          expect(there.length).toBeLessThanOrEqual(RETRY.maxCalls);
          expect(members.find(({ modelId }) => modelId === id)!.enabled).toBe(true);
        }
      },
    ),
  );
});

const two = anyMembersOf(2);
function anyMembersOf(count: number): readonly Member[] {
  return Array.from({ length: count }, (_, at): Member => ({
    modelId: `m${at}`,
    pluginId: `p${at}`,
    active: true,
    enabled: true,
    capabilities: [],
    modalities: [],
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
  }));
}

const countAt = ({ calls }: Walk, id: string): number => calls.filter(({ modelId }) => modelId === id).length;

test('D6, T33: one call at a member while another is left, the ordinary budget at the last', () => {
  const seen = walk(two, 1, (id) => (id === 'm0' ? { kind: 'status', status: 500 } : { kind: 'status', status: 429 }));
  expect([countAt(seen, 'm0'), countAt(seen, 'm1'), seen.end]).toEqual([1, 10, 'failed']);
});

test('D6: TRIES_PER_MEMBER 4 gives each member the ordinary policy', () => {
  const seen = walk(two, 4, () => ({ kind: 'status', status: 500 }));
  expect([countAt(seen, 'm0'), countAt(seen, 'm1')]).toEqual([4, 4]);
});

test('D6: a request at fault ends with its first call', () => {
  const seen = walk(two, 1, () => ({ kind: 'status', status: 422 }));
  expect([seen.calls.length, seen.end]).toEqual([1, 'rejected']);
});

test('D7, T35: with the other member on cooldown, the last one’s budget is spent, then the other is waited for', () => {
  const members = two.map((member, at) => ({ ...member, cooldownUntil: at === 1 ? 60_000 : 0 }));
  const seen = walk(members, 1, (id) => (id === 'm0' ? { kind: 'transport' } : null));
  expect([countAt(seen, 'm0'), seen.end, seen.endedAt]).toEqual([4, 'answered', 60_000]);
});

test('D6: a member whose cooldown ends while the last one is retried is tried instead', () => {
  const members = two.map((member, at) => ({ ...member, cooldownUntil: at === 1 ? 400 : 0 }));
  const seen = walk(members, 1, (id) => (id === 'm0' ? { kind: 'transport' } : null));
  expect([countAt(seen, 'm0'), seen.end, seen.endedAt]).toEqual([1, 'answered', 500]);
});

describe('what attempt rows tell after a takeover', () => {
  const call = (modelId: string, failure: PastCall['failure'], again = false): PastCall => ({
    modelId,
    pluginId: 'p',
    failure,
    again,
  });

  test.each<[string, PastCall[], string[], string | null]>([
    ['nothing', [], [], null],
    ['a lost call', [call('a', null)], [], null],
    ['a call that was left', [call('a', 'transient')], ['a'], null],
    ['a call to be repeated', [call('a', 'transient', true)], [], 'a'],
    ['a left member and a lost call elsewhere', [call('a', 'transient'), call('b', null)], ['a'], null],
    ['a repetition that was given up for another', [call('a', 'transient', true), call('b', null)], ['a'], null],
    ['fatal at the second', [call('a', 'transient'), call('b', 'fatal')], ['a', 'b'], null],
  ])('B5: %s', (_name, calls, done, hadItsTries) => {
    const tried = triedMembers(calls, 1);
    expect([[...tried.done], tried.hadItsTries]).toEqual([done, hadItsTries]);
  });

  test('D6: fewer calls than TRIES_PER_MEMBER are repeated there', () => {
    expect(triedMembers([call('a', 'transient', true)], 2).hadItsTries).toBeNull();
  });
});

test('D6: a window of no length is none; what is over is forgotten', () => {
  expect(afterFailure(NO_WINDOWS, { kind: 'member_failed', modelId: 'a' }, 0, 5)).toBe(NO_WINDOWS);
  const first = afterFailure(NO_WINDOWS, { kind: 'member_failed', modelId: 'a' }, 10, 0);
  const later = afterFailure(first, { kind: 'request_failed', virtualModel: 'team' }, 10, 5);
  expect([windowEnd(later.members, 'a', 5), windowEnd(later.virtualModels, 'team', 5)]).toEqual([10, 15]);
  expect(windowEnd(later.members, 'a', 10)).toBe(0);
  expect([...afterFailure(later, { kind: 'member_failed', modelId: 'b' }, 10, 20).members.keys()]).toEqual(['b']);
});

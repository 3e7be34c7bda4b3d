import fc from 'fast-check';
import { hasEnoughMembers, judgeMembers, takenName, type NamedModel, type NameHolder } from './virtual-model';

const plugin = { id: 'p', enabled: true, incompatible: null, inError: false };
const good: NamedModel = { kind: 'model', enabled: true, plugin };
const behind = (facts: Partial<typeof plugin> | { incompatible: string }): NamedModel => ({
  ...good,
  plugin: { ...plugin, ...facts },
});

const CATALOGUE: Readonly<Record<string, NamedModel>> = {
  a: good,
  b: good,
  off: { ...good, enabled: false },
  team: { kind: 'virtual' },
  short: { kind: 'alias', of: 'a' },
  orphan: { ...good, plugin: null },
  pausing: behind({ enabled: false }),
  old: behind({ incompatible: 'needs SoAI 9' }),
  broken: behind({ inError: true }),
};
const lookUp = (name: string): NamedModel | undefined => CATALOGUE[name];

test('D1: two sound members are enough, and there is no upper limit', () => {
  expect(judgeMembers(['a', 'b'], lookUp)).toEqual([]);
  const many = Array.from({ length: 1_000 }, (_, index) => `m${index}`);
  expect(judgeMembers(many, () => good)).toEqual([]);
});

test('D1: every rejected member is named with its reason, not just the first', () => {
  const members = ['a', 'off', 'gone', 'team', 'short', 'orphan', 'pausing', 'old', 'broken', 'a'];
  expect(judgeMembers(members, lookUp).map(({ member, code }) => [member, code])).toEqual([
    ['off', 'model_disabled'],
    ['gone', 'unknown_model'],
    ['team', 'nested_virtual_model'],
    ['short', 'alias'],
    ['orphan', 'plugin_missing'],
    ['pausing', 'plugin_disabled'],
    ['old', 'plugin_incompatible'],
    ['broken', 'plugin_error'],
    ['a', 'repeated_member'],
  ]);
  expect(judgeMembers(['old', 'a'], lookUp)[0]!.reason).toContain('needs SoAI 9');
});

test.each([[[]], [['a']], [['a', 'a']]])('D1: %j has too few members', (members) => {
  expect(judgeMembers(members, lookUp).at(-1)).toMatchObject({ member: null, code: 'too_few_members' });
  expect(hasEnoughMembers(members)).toBe(false);
});

test('D1: whatever the list, faults are exactly those of its unsound, repeated or missing members', () => {
  const names = fc.constantFrom(...Object.keys(CATALOGUE), 'gone');
  fc.assert(
    fc.property(fc.array(names, { maxLength: 12 }), (members) => {
      const faults = judgeMembers(members, lookUp);
      const sound = members.length >= 2 && new Set(members).size === members.length;
      const allGood = members.every((name) => name === 'a' || name === 'b');
      expect(faults.length === 0).toBe(sound && allGood);
      for (const { member } of faults) if (member !== null) expect(members).toContain(member);
      const unsound = new Set(members.filter((name) => name !== 'a' && name !== 'b'));
      expect(
        new Set(faults.flatMap(({ member, code }) => (member && code !== 'repeated_member' ? [member] : []))),
      ).toEqual(unsound);
    }),
  );
});

describe('D2: one name space', () => {
  const holders: NameHolder[] = [
    { kind: 'model', of: 'm1', name: 'm1' },
    { kind: 'model', of: 'm1', name: 'Fast' },
    { kind: 'virtual_model', of: 'Team', name: 'Team' },
  ];

  test('a name is taken without regard to case, whoever holds it', () => {
    expect(takenName(['x', 'FAST'], holders, null)).toEqual({ name: 'FAST', by: holders[1] });
    expect(takenName(['team'], holders, null)?.by.kind).toBe('virtual_model');
    expect(takenName(['m2'], holders, null)).toBeNull();
  });

  test('what wants a name is not in its own way, but one of another kind is', () => {
    expect(takenName(['M1', 'fast'], holders, { kind: 'model', of: 'm1' })).toBeNull();
    expect(takenName(['Team'], holders, { kind: 'model', of: 'Team' })?.by.of).toBe('Team');
  });

  test('a name is free exactly when no holder has it in any case', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(name), name, (held, wanted) => {
        const taken = takenName(
          [wanted],
          held.map((each) => ({ kind: 'model', of: each, name: each })),
          null,
        );
        expect(taken === null).toBe(!held.some((each) => each.toLowerCase() === wanted.toLowerCase()));
      }),
    );
  });
});

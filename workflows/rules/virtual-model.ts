/**
 * What may be a virtual model (spec D1, D2). Asked on create and on edit; that it passes is no promise
 * that a member can serve a request later (D3).
 *
 * | member                                              | fault                                    |
 * |-----------------------------------------------------|------------------------------------------|
 * | named before in the list                            | `repeated_member`                        |
 * | a virtual model                                     | `nested_virtual_model`                   |
 * | an alias of a model                                 | `alias`                                  |
 * | not in the catalogue                                | `unknown_model`                          |
 * | disabled                                            | `model_disabled`                         |
 * | its plugin not installed, disabled, incompatible,   | `plugin_missing`, `plugin_disabled`,     |
 * |   in error                                          | `plugin_incompatible`, `plugin_error`    |
 * | fewer than two distinct names in the list           | `too_few_members`, of no member          |
 *
 * A quarantined plugin, an open circuit or a cooldown is no fault: those pass.
 */
export const FEWEST_MEMBERS = 2;

/** What a name stands for in the catalogue. */
export type NamedModel =
  | { readonly kind: 'model'; readonly enabled: boolean; readonly plugin: PluginFacts | null }
  | { readonly kind: 'alias'; readonly of: string }
  | { readonly kind: 'virtual' };

export interface PluginFacts {
  readonly id: string;
  readonly enabled: boolean;
  /** Why it can't be used, or null. */
  readonly incompatible: string | null;
  readonly inError: boolean;
}

export interface MemberFault {
  /** Null: the list as a whole. */
  readonly member: string | null;
  readonly code:
    | 'repeated_member'
    | 'nested_virtual_model'
    | 'alias'
    | 'unknown_model'
    | 'model_disabled'
    | 'plugin_missing'
    | 'plugin_disabled'
    | 'plugin_incompatible'
    | 'plugin_error'
    | 'too_few_members';
  /** Reads after the member's name. */
  readonly reason: string;
}

/** Every fault, in the order of the list; none: it may be one. */
export function judgeMembers(
  members: readonly string[],
  lookUp: (name: string) => NamedModel | undefined,
): readonly MemberFault[] {
  const faults = members.flatMap((member, index): MemberFault[] => {
    const fault = members.indexOf(member) < index ? REPEATED : faultOf(lookUp(member));
    return fault ? [{ member, ...fault }] : [];
  });
  if (hasEnoughMembers(members)) return faults;
  return [...faults, { member: null, code: 'too_few_members', reason: 'needs at least two different models.' }];
}

export function hasEnoughMembers(members: readonly string[]): boolean {
  return new Set(members).size >= FEWEST_MEMBERS;
}

type Fault = Omit<MemberFault, 'member'>;

const REPEATED: Fault = { code: 'repeated_member', reason: 'is in the list more than once.' };

function faultOf(named: NamedModel | undefined): Fault | null {
  if (!named) return { code: 'unknown_model', reason: 'is not in the catalogue.' };
  if (named.kind === 'virtual') {
    return { code: 'nested_virtual_model', reason: 'is a virtual model, which can not be a member.' };
  }
  if (named.kind === 'alias') return { code: 'alias', reason: `is an alias; name the model itself, '${named.of}'.` };
  if (!named.enabled) return { code: 'model_disabled', reason: 'is disabled.' };
  return pluginFault(named.plugin);
}

function pluginFault(plugin: PluginFacts | null): Fault | null {
  if (!plugin) return { code: 'plugin_missing', reason: 'has a plugin that is not installed.' };
  const its = `has a plugin, '${plugin.id}',`;
  if (!plugin.enabled) return { code: 'plugin_disabled', reason: `${its} that is disabled.` };
  if (plugin.incompatible !== null) {
    return { code: 'plugin_incompatible', reason: `${its} that is incompatible: ${plugin.incompatible}.` };
  }
  return plugin.inError ? { code: 'plugin_error', reason: `${its} whose backend is in error.` } : null;
}

/** Who holds a name; ids, aliases and virtual models share one name space without regard to case (D2). */
export interface NameHolder {
  readonly kind: 'model' | 'virtual_model';
  /** The id of the model or the name of the virtual model. */
  readonly of: string;
  readonly name: string;
}

/** The first of the wanted names that somebody else holds, or null. `self`: the one that wants them. */
export function takenName(
  wanted: readonly string[],
  holders: Iterable<NameHolder>,
  self: Pick<NameHolder, 'kind' | 'of'> | null,
): { readonly name: string; readonly by: NameHolder } | null {
  const byKey = new Map<string, NameHolder>();
  for (const holder of holders) {
    if (holder.kind !== self?.kind || holder.of !== self.of) byKey.set(holder.name.toLowerCase(), holder);
  }
  for (const name of wanted) {
    const by = byKey.get(name.toLowerCase());
    if (by) return { name, by };
  }
  return null;
}

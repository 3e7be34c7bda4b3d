/**
 * Why a member is left out for one request now (spec D3, D9, E), or that it is not. The first row that
 * applies decides, so what waiting can't mend comes before what it can:
 *
 * | fact                                                   | reason                                  |
 * |--------------------------------------------------------|-----------------------------------------|
 * | the caller may not use it directly                     | `not_permitted`                         |
 * | this request has been there                            | `tried`                                 |
 * | no longer in the catalogue; disabled                   | `inactive`; `disabled`                  |
 * | lacks a capability, a modality                         | `missing_capability:…`, `missing_modality:…` |
 * | the request is longer than its context                 | `context_too_small`                     |
 * | its plugin takes no requests                           | `plugin_…`                              |
 * | its local backend is another node's                    | `not_on_this_node`                      |
 * | circuit open; half-open with the probe out             | `circuit_open`; `circuit_probing`       |
 * | failed a moment ago                                    | `cooldown`                              |
 */
import { lacking } from './capabilities';
import type { Member } from './member';
import type { Requirements } from './requirements';
import type { Tried } from './tried';

export interface RequestView {
  readonly requirements: Requirements;
  readonly tried: Tried;
  readonly now: number;
}

/** Null: eligible. */
export function dropReason(member: Member, { requirements, tried, now }: RequestView): string | null {
  if (!member.permitted) return 'not_permitted';
  if (tried.done.has(member.modelId)) return 'tried';
  if (!member.active) return 'inactive';
  if (!member.enabled) return 'disabled';
  const capability = lacking(member.capabilities, requirements.operation, requirements.features);
  if (capability !== null) return `missing_capability:${capability}`;
  const { modalities } = member;
  const modality = modalities.length === 0 ? undefined : requirements.modalities.find((x) => !modalities.includes(x));
  if (modality !== undefined) return `missing_modality:${modality}`;
  if (member.contextTokens !== null && requirements.contextTokens > member.contextTokens) return 'context_too_small';
  if (member.pluginProblem !== null) return member.pluginProblem;
  if (!member.onThisNode) return 'not_on_this_node';
  if (member.circuit === 'open') return 'circuit_open';
  if (member.circuit === 'half_open' && member.probing) return 'circuit_probing';
  return member.cooldownUntil > now ? 'cooldown' : null;
}

/** The request itself is the obstacle: no waiting and no operator's switch helps this member serve it. */
export function isRequestsFault(reason: string): boolean {
  return reason.startsWith('missing_') || reason === 'context_too_small';
}

/**
 * The sentence for a request that no member can serve (spec D7): the missing requirement and each
 * member's lack. Members the caller may not use are never named (D9).
 */
import { isRequestsFault } from './eligibility';
import type { Plan } from './route';

/** A sentence of more names would tell nobody more. */
const NAMED_AT_MOST = 20;

const LACKS: Readonly<Record<string, string>> = {
  tried: 'failed for this request',
  inactive: 'is no longer in the catalogue',
  disabled: 'is disabled',
  context_too_small: 'has too small a context for it',
  plugin_missing: 'has no plugin any more',
  plugin_disabled: 'is behind a disabled plugin',
  plugin_incompatible: 'is behind an incompatible plugin',
  plugin_quarantined: 'is behind a quarantined plugin',
  plugin_draining: 'is behind a plugin that is being drained',
  plugin_error: 'is behind a plugin whose backend is not running',
  plugin_recovery: 'is behind a plugin that is being recovered',
  not_on_this_node: 'runs on another node',
  circuit_open: 'is behind an open circuit',
  circuit_probing: 'is being probed after failures',
  cooldown: 'is on cooldown',
};

export interface Explanation {
  readonly sentence: string;
  /** No member lacks anything but what the request asks for: the request is at fault, not the installation. */
  readonly requestsFault: boolean;
}

export function explain(virtualModel: string, plan: Plan): Explanation {
  const known = plan.filter(({ dropped }) => dropped !== null && dropped !== 'not_permitted');
  const name = `'${virtualModel}'`;
  if (known.length === 0) return { sentence: `No member of ${name} is available to you.`, requestsFault: true };
  const missing = new Set(known.flatMap(({ dropped }) => requirementOf(dropped ?? '')));
  const asked = missing.size === 0 ? '' : ` It asks for ${[...missing].join(', ')}.`;
  const lacks = known.slice(0, NAMED_AT_MOST).map(({ modelId, dropped }) => `${modelId} ${lackOf(dropped ?? '')}`);
  const more = known.length > NAMED_AT_MOST ? [`${known.length - NAMED_AT_MOST} more can't either`] : [];
  return {
    sentence: `No member of ${name} can serve this request.${asked} Members: ${[...lacks, ...more].join('; ')}.`,
    requestsFault: known.every(({ dropped }) => isRequestsFault(dropped ?? '')),
  };
}

function requirementOf(reason: string): string[] {
  const [kind, what] = reason.split(':');
  if (kind === 'missing_capability') return [`the capability ${what}`];
  if (kind === 'missing_modality') return [`${what} input`];
  return reason === 'context_too_small' ? ['a longer context'] : [];
}

function lackOf(reason: string): string {
  const [kind, what] = reason.split(':');
  if (kind === 'missing_capability') return `lacks ${what}`;
  if (kind === 'missing_modality') return `does not take ${what}`;
  return LACKS[reason] ?? `is left out (${reason})`;
}

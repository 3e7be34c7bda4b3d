import type { Model } from '../../api/contract/models';
import { orDash } from './words';

export function modelFields(found: Model): [string, string][] {
  return [
    ['Model', found.id],
    ['Available', found.available ? 'yes' : `no: ${found.reason ?? 'unknown'}`],
    ['Enabled', found.enabled ? 'yes' : 'no'],
    ['Plugin', found.plugin],
    ['Upstream model', found.upstream_model],
    ['Aliases', orDash(found.aliases)],
    ['Capabilities', orDash(found.capabilities)],
    ['Modalities', orDash(found.modalities)],
    ['Context', found.context_tokens === null ? 'not known' : `${found.context_tokens} tokens`],
    ['Member of', orDash(found.virtual_models)],
    ['Defined in', found.defined_in?.place ?? found.origin],
  ];
}

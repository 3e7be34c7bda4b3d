/** What a virtual model advertises: all that at least one member can do (D5). */
import type { CatalogueModel } from '../../activities/catalogue';

export interface Union {
  readonly capabilities: string[];
  readonly modalities: string[];
  /** Of the member with the longest context; null when none is known. */
  readonly context_tokens: number | null;
}

export function unionOf(models: readonly CatalogueModel[]): Union {
  const contexts = models.flatMap(({ contextTokens }) => contextTokens ?? []);
  return {
    capabilities: [...new Set(models.flatMap(({ capabilities }) => capabilities))],
    modalities: [...new Set(models.flatMap(({ modalities }) => modalities))],
    context_tokens: contexts.length === 0 ? null : Math.max(...contexts),
  };
}

/** Whether a model fits before it is loaded, by what its file says about itself. Pure. */
import type { GgufMetadata } from './gguf-metadata';

/** Keys and values are kept as 16-bit floats. */
const CACHE_VALUE_BYTES = 2;
const MIB = 1024 ** 2;

export interface MemoryNeed {
  readonly fileBytes: number;
  /** Null: the header doesn't tell; then the file alone is counted. */
  readonly metadata: GgufMetadata | null;
  /** As the settings have it. */
  readonly contextTokens: number;
}

/** Bytes: the weights, and the keys and values of a full context. */
export function memoryNeed({ fileBytes, metadata, contextTokens }: MemoryNeed): number {
  const tokens = Math.min(contextTokens, metadata?.contextTokens ?? contextTokens);
  return fileBytes + tokens * (metadata?.cacheValuesPerToken ?? 0) * CACHE_VALUE_BYTES;
}

/** Why it is not loaded, naming both numbers; null: it fits, or what is free is not known. */
export function memoryRefusal(need: MemoryNeed, freeBytes: number | null, marginBytes: number): string | null {
  const needed = memoryNeed(need);
  if (freeBytes === null || needed + marginBytes <= freeBytes) return null;
  const tokens = Math.min(need.contextTokens, need.metadata?.contextTokens ?? need.contextTokens);
  return (
    `it needs about ${mib(needed)} with a context of ${tokens} tokens, and ${mib(freeBytes)} are free, of which ` +
    `MEMORY_MARGIN_MIB keeps ${mib(marginBytes)}; take a smaller model or lower CONTEXT_SIZE`
  );
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}

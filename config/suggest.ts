/** "did you mean": the known name closest to a mistyped one. */
import type { z } from 'zod';
import { childNames, groupsWith } from './schema-tree';

export function closest(word: string, known: readonly string[]): string | null {
  const typed = word.toUpperCase();
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(typed, candidate.toUpperCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

export function didYouMean(word: string, known: readonly string[]): string {
  const guess = closest(word, known);
  return guess === null ? '' : `; did you mean ${guess}?`;
}

/** What to say about a key that `parent` does not have. */
export function unknownSetting(name: string, parent: z.ZodType | null, root: z.ZodType): string {
  const guess = parent === null ? '' : didYouMean(name, childNames(parent));
  const elsewhere = guess === '' ? groupsWith(name, root)[0] : undefined;
  return `unknown setting${elsewhere === undefined ? guess : `; it belongs in ${elsewhere}`}`;
}

/** Levenshtein distance, one row at a time. Long input is cut: nobody mistypes 64 letters. */
function editDistance(a: string, b: string): number {
  const left = a.slice(0, 64);
  const right = b.slice(0, 64);
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The catalogue id for a model that is imported from a plugin's own list. */
import { modelName } from '../../config/sections/names';

/** Longest tail of a number that makes a name free. */
const TRIES = 100;

/** The backend's name where it can be one and is free, else with the plugin's before it, else numbered; null: none is. */
export function idFor(upstreamModel: string, pluginId: string, isTaken: (name: string) => boolean): string | null {
  const plain = cleaned(upstreamModel.replace(/\.gguf$/i, ''));
  const base = plain === null ? pluginId : plain;
  const qualified = cleaned(`${pluginId}/${base}`) ?? pluginId;
  const candidates = [base, qualified];
  for (let number = 2; number <= TRIES; number += 1) candidates.push(`${qualified.slice(0, 120)}-${number}`);
  return candidates.find((name) => modelName.safeParse(name).success && !isTaken(name)) ?? null;
}

function cleaned(name: string): string | null {
  const text = name
    .replace(/[^A-Za-z0-9 /_.:@+-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, 120)
    .trim();
  return modelName.safeParse(text).success ? text : null;
}

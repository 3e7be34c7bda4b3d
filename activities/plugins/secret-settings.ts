/** Secret settings on their way to and from the database, and out of answers (spec F5, S54). */
import { z } from 'zod';

type Tree = Readonly<Record<string, unknown>>;

const sealedValue = z.strictObject({ sealed: z.string() });

export interface Seal {
  seal(secret: string, about: string): Promise<string>;
  open(sealed: string, about: string): Promise<string>;
}

/** @param secrets dotted names as `secretSettings` gives them; `*` stands for every key */
export function sealSettings(settings: Tree, secrets: readonly string[], plugin: string, box: Seal): Promise<Tree> {
  return eachSecret(settings, secrets, async (value, at) => ({
    sealed: await box.seal(JSON.stringify(value), `${plugin}/${at.join('/')}`),
  }));
}

/** @throws SecretUnreadable naming the setting */
export function openSettings(settings: Tree, secrets: readonly string[], plugin: string, box: Seal): Promise<Tree> {
  return eachSecret(settings, secrets, async (value, at) => {
    const { success, data } = sealedValue.safeParse(value);
    if (!success) return value;
    try {
      return JSON.parse(await box.open(data.sealed, `${plugin}/${at.join('/')}`)) as unknown;
    } catch (error) {
      (error as Error).message = `${at.join('.')} can't be used: ${(error as Error).message}`;
      throw error;
    }
  });
}

/** The settings without their secrets, and the names of those that are set. */
export async function withoutSecrets(
  settings: Tree,
  secrets: readonly string[],
): Promise<{ readonly shown: Record<string, unknown>; readonly set: string[] }> {
  const set: string[] = [];
  const shown = await eachSecret(settings, secrets, async (_value, at) => {
    set.push(at.join('.'));
    return undefined;
  });
  return { shown: JSON.parse(JSON.stringify(shown)) as Record<string, unknown>, set };
}

async function eachSecret(
  settings: Tree,
  secrets: readonly string[],
  change: (value: unknown, at: readonly string[]) => Promise<unknown>,
): Promise<Tree> {
  const copy = structuredClone(settings) as Record<string, unknown>;
  for (const name of secrets) await walk(copy, name.split('.'), [], change);
  return copy;
}

async function walk(
  node: unknown,
  [key = '', ...rest]: readonly string[],
  at: readonly string[],
  change: (value: unknown, at: readonly string[]) => Promise<unknown>,
): Promise<void> {
  if (typeof node !== 'object' || node === null) return;
  const tree = node as Record<string, unknown>;
  for (const name of key === '*' ? Object.keys(tree) : [key]) {
    if (!Object.hasOwn(tree, name) || tree[name] === undefined || tree[name] === null) continue;
    if (rest.length > 0) await walk(tree[name], rest, [...at, name], change);
    else tree[name] = await change(tree[name], [...at, name]);
  }
}

/** RFC 7396: what is named replaces, null removes, the rest stays. */
export function mergePatch(target: Tree, patch: Tree): Tree {
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const below = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isTree(value) ? mergePatch(isTree(below) ? below : {}, value) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

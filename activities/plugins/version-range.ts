/** Semantic version ranges as package manifests use them: `>=0.1.0 <0.2.0`, `^1.2`, `~1.2.3`, `1.x`, `*`, joined by `||`. */

type Version = readonly [major: number, minor: number, patch: number];
type Bound = (version: Version) => boolean;

const COMPARATOR = /^(\^|~|>=|<=|>|<|=)?\s*v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(?:[-+][0-9A-Za-z.+-]+)?$/;

/** False when the version is none. @throws RangeError when the range is none */
export function isInRange(version: string, range: string): boolean {
  const alternatives = range.split('||').map(parseAll);
  const parsed = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (!parsed) return false;
  const numbers: Version = [Number(parsed[1]), Number(parsed[2]), Number(parsed[3])];
  return alternatives.some((bounds) => bounds.every((holds) => holds(numbers)));
}

function parseAll(text: string): Bound[] {
  const joined = text.trim().replace(/(\^|~|>=|<=|>|<|=)\s+/g, '$1');
  return (joined === '' ? '*' : joined).split(/\s+/).map(parseOne);
}

function parseOne(text: string): Bound {
  const [, operator = '=', ...given] = COMPARATOR.exec(text) ?? [];
  if (given.length === 0) throw new RangeError(`"${text}" is no version range`);
  const parts = given.map((part) => (part === undefined || part === 'x' || part === '*' ? null : Number(part)));
  const known = parts.includes(null) ? parts.indexOf(null) : 3;
  const low: Version = [parts[0] ?? 0, known > 1 ? (parts[1] ?? 0) : 0, known > 2 ? (parts[2] ?? 0) : 0];
  const above = nextAfter(
    low,
    operator === '^' ? caretPlace(low, known) : operator === '~' ? Math.min(known, 2) : known,
  );
  const reaches: Bound = (version) => compare(version, low) >= 0;
  const passes: Bound = (version) => above === null || compare(version, above) < 0;
  switch (operator) {
    case '>=':
      return reaches;
    case '<':
      return (version) => !reaches(version);
    case '>':
      return (version) => !passes(version);
    case '<=':
      return passes;
    default:
      return (version) => reaches(version) && passes(version);
  }
}

/** `^` lets everything right of the first number that is not 0 grow. */
function caretPlace(low: Version, known: number): number {
  const first = low.findIndex((part) => part > 0);
  return first === -1 ? known : Math.min(first + 1, known);
}

/** The least version beyond all that agree in the first `places` numbers; null: there is none. */
function nextAfter(low: Version, places: number): Version | null {
  if (places === 0) return null;
  if (places === 1) return [low[0] + 1, 0, 0];
  return places === 2 ? [low[0], low[1] + 1, 0] : [low[0], low[1], low[2] + 1];
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

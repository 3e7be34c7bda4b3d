/** Replaces secrets in text that came from a backend before anyone sees it (S13, S14). */
export type Redact = (text: string) => string;

/** Shorter values would blank out ordinary words, and protect nothing. */
const SHORTEST_SECRET = 4;

const REDACTED = '[redacted]';

/** What looks like a credential whoever's it is: OpenAI-style keys (also masked ones) and bearer tokens. */
const LOOKS_SECRET = /\bsk-[A-Za-z0-9_*.-]{4,}|\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=*-]{4,}/gi;

export function redactor(secrets: Iterable<string | undefined>): Redact {
  const known = [...secrets]
    .filter((secret): secret is string => secret !== undefined && secret.length >= SHORTEST_SECRET)
    // As JSON text would carry it, too.
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    // The longest first, so that no part of one stays when another is its prefix.
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let safe = text;
    for (const secret of known) safe = safe.replaceAll(secret, REDACTED);
    return safe.replace(LOOKS_SECRET, REDACTED);
  };
}

/** Queries and user names of download links carry tokens. */
export function publicPart(text: string): string {
  if (!URL.canParse(text)) return 'a URL';
  const { origin, pathname } = new URL(text);
  return origin === 'null' ? 'a URL' : origin + pathname;
}

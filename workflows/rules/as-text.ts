/** A value as text where it is text; '' where it is anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

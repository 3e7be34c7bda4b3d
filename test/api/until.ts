/** Looks again each few milliseconds until something holds; for what has no event of its own. */
export async function until(holds: () => boolean, limitMs = 4_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it did not come to hold within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Whose turn it is (spec A4, A5): start-time fair queueing with equal shares.
 *
 * Each owner carries a tag; the lowest is next, and a served owner goes one round behind the round
 * being served. An owner who was away comes back in the current round: it neither saves up turns
 * nor is it put back behind those who stayed.
 */
export class Turns {
  private readonly tags = new Map<string, number>();
  private round = 0;
  private pruneAt = 1_024;

  /** Lower goes first; equal tags are decided by age. */
  tagOf(owner: string): number {
    return Math.max(this.tags.get(owner) ?? 0, this.round);
  }

  take(owner: string): void {
    this.round = this.tagOf(owner);
    this.tags.set(owner, this.round + 1);
    if (this.tags.size >= this.pruneAt) this.prune();
  }

  /** A tag at or below the current round says nothing that `tagOf` doesn't say without it. */
  private prune(): void {
    for (const [owner, tag] of this.tags) if (tag <= this.round) this.tags.delete(owner);
    this.pruneAt = Math.max(1_024, this.tags.size * 2);
  }
}

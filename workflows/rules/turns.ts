/**
 * Whose turn it is (spec A4, A5): start-time fair queueing with equal shares.
 *
 * Each owner carries a tag; the lowest is next, and a served owner goes one round behind the round
 * being served. An owner who was away comes back in the current round: it neither saves up turns
 * nor is it put back behind those who stayed.
 */
export interface OwnerTurn {
  readonly owner: string;
  /** Counts only from the current round on: see `Turns.tagOf`. */
  tag: number;
  /** Lanes that hold on to it. */
  held: number;
}

export class Turns {
  private readonly byOwner = new Map<string, OwnerTurn>();
  private round = 0;
  private pruneAt = 1_024;

  /** To be given back by `release`; all who hold an owner's turn hold the same one. */
  hold(owner: string): OwnerTurn {
    const turn = this.byOwner.get(owner) ?? { owner, tag: 0, held: 0 };
    turn.held += 1;
    this.byOwner.set(owner, turn);
    if (this.byOwner.size >= this.pruneAt) this.prune();
    return turn;
  }

  release(turn: OwnerTurn): void {
    turn.held -= 1;
  }

  /** Lower goes first; equal tags are decided by age. */
  tagOf(turn: OwnerTurn): number {
    return turn.tag > this.round ? turn.tag : this.round;
  }

  /** The owner is served because it was its turn. */
  take(turn: OwnerTurn): void {
    this.round = this.tagOf(turn);
    turn.tag = this.round + 1;
  }

  /** The owner is served out of turn: it sits out its next one, and the round does not move. */
  charge(turn: OwnerTurn): void {
    turn.tag = Math.min(this.tagOf(turn) + 1, this.round + 2);
  }

  /** A tag at or below the current round says nothing that a new one would not. */
  private prune(): void {
    for (const [owner, turn] of this.byOwner) if (turn.held === 0 && turn.tag <= this.round) this.byOwner.delete(owner);
    this.pruneAt = Math.max(1_024, this.byOwner.size * 2);
  }
}

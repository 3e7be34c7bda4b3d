/** Bodies in this process's memory, of unfinished requests or still being received, bounded in bytes (fault F12). */
import { admitBody } from '../workflows/rules/admission';

export class BodyBudget {
  private heldBytes = 0;

  /** @param budgetBytes 0: no limit */
  constructor(private readonly budgetBytes: number) {}

  /** False: it does not fit now. Otherwise to be given back. `ownBytes`: what a body that grows has taken already. */
  take(bytes: number, ownBytes = 0): boolean {
    const { budgetBytes } = this;
    const heldBytes = this.heldBytes - ownBytes;
    if (!admitBody({ heldBytes, bodyBytes: ownBytes + bytes, budgetBytes })) return false;
    this.heldBytes += bytes;
    return true;
  }

  giveBack(bodyBytes: number): void {
    this.heldBytes -= bodyBytes;
  }
}

/** The bodies of this process's unfinished requests, bounded in bytes (fault F12). */
import { admitBody } from '../workflows/rules/admission';

export class BodyBudget {
  private heldBytes = 0;

  /** @param budgetBytes 0: no limit */
  constructor(private readonly budgetBytes: number) {}

  /** False: it does not fit now. Otherwise to be given back. */
  take(bodyBytes: number): boolean {
    const { heldBytes, budgetBytes } = this;
    if (!admitBody({ heldBytes, bodyBytes, budgetBytes })) return false;
    this.heldBytes += bodyBytes;
    return true;
  }

  giveBack(bodyBytes: number): void {
    this.heldBytes -= bodyBytes;
  }
}

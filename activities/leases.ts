/**
 * The leases this process holds, renewed in one batch at a third of their time (C1). A lease that
 * could not be renewed in time is lost: its request stops, since another process may run it by now.
 */
import type { Logger } from 'pino';
import type { Queue } from '../store/store';

export class Leases {
  private readonly held = new Map<string, { readonly onLost: () => void; expiresAt: number }>();
  private readonly timer: NodeJS.Timeout;
  private renewing = false;

  constructor(
    private readonly queue: Queue,
    private readonly holder: string,
    private readonly leaseMs: number,
    private readonly log: Logger,
    private readonly now: () => number = Date.now,
  ) {
    this.timer = setInterval(() => void this.renew(), leaseMs / 3);
    this.timer.unref();
  }

  hold(taskId: string, claimedAt: number, onLost: () => void): void {
    this.held.set(taskId, { onLost, expiresAt: claimedAt + this.leaseMs });
  }

  drop(taskId: string): void {
    this.held.delete(taskId);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async renew(): Promise<void> {
    if (this.renewing || this.held.size === 0) return;
    this.renewing = true;
    const asked = [...this.held.keys()];
    const now = this.now();
    try {
      const kept = new Set(await this.queue.renew(this.holder, asked, now, this.leaseMs));
      for (const taskId of asked) {
        const lease = this.held.get(taskId);
        if (!lease) continue;
        if (kept.has(taskId)) lease.expiresAt = now + this.leaseMs;
        else this.lose(taskId);
      }
    } catch (error) {
      this.log.warn({ err: error, leases: asked.length }, 'leases could not be renewed');
      for (const [taskId, lease] of this.held) if (lease.expiresAt <= this.now()) this.lose(taskId);
    } finally {
      this.renewing = false;
    }
  }

  private lose(taskId: string): void {
    const lease = this.held.get(taskId);
    this.held.delete(taskId);
    this.log.warn({ task: taskId }, 'lease lost');
    lease?.onLost();
  }
}

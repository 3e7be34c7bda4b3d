import { Agent, type Dispatcher } from 'undici';
import { guardedLookup } from './forbidden-address';

/** Our own timer is to fire first: it knows the call. This one closes the socket it leaves behind. */
const CONNECT_SLACK_MS = 1000;

/** The kept connections of one backend. */
export class Connections {
  private readonly agents = new Map<number, Agent>();
  private readonly retiring = new Set<Agent>();

  /** The time to connect is the agent's in undici; in practice there is one, from the settings. */
  dispatcher(connectMs: number): Dispatcher {
    let agent = this.agents.get(connectMs);
    if (agent === undefined) {
      agent = new Agent({
        connect: { timeout: connectMs + CONNECT_SLACK_MS, lookup: guardedLookup },
        // A call's deadlines are timed in CallTimer.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      this.agents.set(connectMs, agent);
    }
    return agent;
  }

  /** Where one kept connection was stale the others may be: later calls connect anew, running ones go on. */
  retire(dispatcher: Dispatcher): void {
    for (const [connectMs, agent] of this.agents) {
      if (agent !== dispatcher) continue;
      this.agents.delete(connectMs);
      this.retiring.add(agent);
      void agent.close().finally(() => this.retiring.delete(agent));
    }
  }

  /** Cuts every connection, in use or not. */
  async close(): Promise<void> {
    const agents = [...this.agents.values(), ...this.retiring];
    this.agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
}

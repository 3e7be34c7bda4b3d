/** What the oracles found, and the story that led there when somebody wants to read it. */
import type { SimulatedTime } from './simulated-time';

/** More would only repeat the first. */
const MOST = 10;

export class Violations {
  readonly found: string[] = [];
  readonly trace: string[] = [];

  constructor(
    private readonly time: SimulatedTime,
    private readonly tracing: boolean,
  ) {}

  report(oracle: string, what: string): void {
    this.tell(`!! ${oracle}: ${what}`);
    if (this.found.length < MOST) this.found.push(`${this.time.elapsed.trim()} s, ${oracle}: ${what}`);
  }

  tell(what: string): void {
    if (this.tracing) this.trace.push(`${this.time.elapsed}  ${what}`);
  }
}

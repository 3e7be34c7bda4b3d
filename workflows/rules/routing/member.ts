/** What the routing rules know of one member of a virtual model at one moment (spec D3, D4). */
import type { Target } from '../vocabulary';

export interface Member extends Target {
  /** False: no model of this id is in the catalogue any more. */
  readonly active: boolean;
  readonly enabled: boolean;
  /** Empty: unknown. */
  readonly capabilities: readonly string[];
  /** Empty: unknown. */
  readonly modalities: readonly string[];
  /** Prompt and answer together; null: unknown. */
  readonly contextTokens: number | null;
  /** `plugin_…`: why its plugin takes no requests; null: it does. */
  readonly pluginProblem: string | null;
  readonly circuit: 'closed' | 'open' | 'half_open';
  /** Half-open, and the one probe is out. */
  readonly probing: boolean;
  /** Its cooldown ends then, ms since the epoch; 0: it has none. */
  readonly cooldownUntil: number;
  /** The caller may use its model and plugin directly (D9). */
  readonly permitted: boolean;
  /** False: its local backend belongs to another node. */
  readonly onThisNode: boolean;
  /** Requests bound to it now, waiting or running. */
  readonly reserved: number;
  /** Requests its plugin runs or has waiting. */
  readonly pluginLoad: number;
  /** Serving it would make a local backend give up the model it holds. */
  readonly swap: boolean;
}

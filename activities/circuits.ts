/**
 * The dispatch circuits of all plugins as the request path sees them (spec E): one per plugin, read
 * from memory, told how each request ended at a plugin.
 */

export interface CircuitView {
  readonly state: 'closed' | 'open' | 'half_open';
  /** Failures inside the window. */
  readonly failureCount: number;
  /** Milliseconds since the epoch. */
  readonly lastFailureAt: number | null;
  /** When an open circuit becomes half-open; null unless it is open. */
  readonly retryAt: number | null;
  /** Half-open, and its one probe token is out. */
  readonly probing: boolean;
}

/** Leave to call a plugin once; it goes back with the report of how that ended. */
export type Permit =
  | { readonly kind: 'closed' }
  | { readonly kind: 'probe'; readonly token: string }
  | { readonly kind: 'refused'; readonly view: CircuitView };

/** `neutral`: says nothing about the plugin's health (4xx, 429, the client left). It gives a probe's token back. */
export type CircuitOutcome = 'success' | 'failure' | 'neutral';

export interface Circuits {
  /** The state known in this process; synchronous. */
  view(pluginId: string): CircuitView;
  /** Just before the first call of a request at this plugin. Half-open: asks for the one probe token. */
  permit(pluginId: string, taskId: string): Promise<Permit>;
  /**
   * Once per request and plugin, after its last try there. A failure resolves when the new state is
   * known in this process, within 1 s. `cause`: the failure's code.
   */
  report(
    pluginId: string,
    permit: Permit,
    outcome: CircuitOutcome,
    cause: { readonly code: string | null },
  ): Promise<void>;
  /** A probe's first content has come: from here on its request's own deadline, `until`, bounds it. */
  answering(pluginId: string, permit: Permit, until: number): void;
  /** F8: how many of a plugin's slots may be used now: fewer while it has only just come back. */
  slotsOf(pluginId: string, slots: number): number;
  /** @returns the end of the subscription */
  onChange(listener: (pluginId: string, view: CircuitView) => void): () => void;
}

const CLOSED: CircuitView = { state: 'closed', failureCount: 0, lastFailureAt: null, retryAt: null, probing: false };

/** Never opens. */
export const closedCircuits: Circuits = {
  view: () => CLOSED,
  permit: () => Promise.resolve({ kind: 'closed' }),
  report: () => Promise.resolve(),
  answering: () => undefined,
  slotsOf: (_pluginId, slots) => slots,
  onChange: () => () => undefined,
};

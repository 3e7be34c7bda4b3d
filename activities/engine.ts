/** The Temporal server as the rest of the process sees it. */
export type EngineState = 'starting' | 'up' | 'down';

export interface Engine {
  readonly state: EngineState;
  /** gRPC address, host:port. */
  readonly address: string;
  readonly namespace: string;
  /** Temporal's web console, or null when it has none we know of. */
  readonly consoleUrl: string | null;
  onChange(listener: (state: EngineState) => void): () => void;
  stop(): Promise<void>;
}

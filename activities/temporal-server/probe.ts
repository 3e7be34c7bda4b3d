/** Asks a Temporal server whether it can serve our namespace. */
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';

/** How long the server keeps closed workflows; the ledger, not Temporal, is the history users see. */
const RETENTION = '24 hours';

const GRPC = { DEADLINE_EXCEEDED: 4, NOT_FOUND: 5, ALREADY_EXISTS: 6 };

export class ServerProbe {
  readonly #connection: Connection;

  constructor(
    readonly address: string,
    private readonly namespace: string,
  ) {
    this.#connection = Connection.lazy({
      address,
      // One look, one answer: what to do about a failure is the caller's decision.
      interceptors: [],
      channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1000 },
    });
  }

  /**
   * Resolves when the server serves the namespace, creating it on a server that lacks it. Reading
   * the namespace goes down to the server's database, so a wedged one shows too.
   */
  async check(deadlineMs: number): Promise<void> {
    await this.#connection.withDeadline(Date.now() + deadlineMs, async () => {
      try {
        await this.#connection.workflowService.describeNamespace({ namespace: this.namespace });
      } catch (error) {
        if (grpcCode(error) !== GRPC.NOT_FOUND) throw error;
        await this.#register();
        throw error; // Frontends learn of a new namespace with a delay: the next look decides.
      }
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #register(): Promise<void> {
    try {
      await this.#connection.workflowService.registerNamespace({
        namespace: this.namespace,
        description: 'SoAI requests and entities',
        workflowExecutionRetentionPeriod: msToTs(RETENTION),
      });
    } catch (error) {
      if (grpcCode(error) !== GRPC.ALREADY_EXISTS) throw error;
    }
  }
}

/** True: the server may only be slow. False: it said no, or nobody listens. */
export function isSlowness(error: unknown): boolean {
  return grpcCode(error) === GRPC.DEADLINE_EXCEEDED;
}

/** For the log: one line, no stack; the server's word on what was wrong. */
export function reasonOf(error: unknown): string {
  if (isGrpcServiceError(error)) return error.details;
  return error instanceof Error ? error.message : String(error);
}

function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

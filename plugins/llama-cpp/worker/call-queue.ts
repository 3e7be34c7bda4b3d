import type { FromWorker, ToWorker, WorkerCall, WorkerFailure } from '../protocol';
import { prepareChat } from './chat';
import { prepareCompletion } from './completion';
import { prepareEmbeddings } from './embeddings';
import type { LoadedModel } from './loaded-model';
import { badRequest, RequestFault } from './request-fault';
import type { Outcome, Reply } from './reply';

type Send = (message: FromWorker) => void;

/** Runs calls one after the other, each on its model: one model is in memory, a swap unloads first. */
export class CallQueue {
  private loaded: LoadedModel | null = null;
  private tail: Promise<void> = Promise.resolve();
  private readonly aborts = new Map<number, AbortController>();

  constructor(
    private readonly load: (file: string, signal: AbortSignal) => Promise<LoadedModel>,
    private readonly send: Send,
    private readonly now: () => number = () => performance.now(),
  ) {}

  receive(message: Exclude<ToWorker, { type: 'ping' }>): void {
    if (message.type === 'abort') this.aborts.get(message.id)?.abort();
    else this.enqueue(message.id, message.call);
  }

  private enqueue(id: number, call: WorkerCall): void {
    const abort = new AbortController();
    this.aborts.set(id, abort);
    this.tail = this.tail.then(async () => {
      try {
        this.send({ type: 'done', id, text: await this.run(id, call, abort.signal) });
      } catch (error) {
        this.send({ type: 'failed', id, failure: abort.signal.aborted ? { kind: 'aborted' } : asFailure(error) });
      } finally {
        this.aborts.delete(id);
      }
    });
  }

  private async run(id: number, call: WorkerCall, signal: AbortSignal): Promise<Outcome> {
    signal.throwIfAborted();
    const generate = prepare(call);
    const reply: Reply = {
      stream: call.stream,
      event: (value) => this.send({ type: 'event', id, data: JSON.stringify(value) }),
    };
    const outcome = await generate(await this.use(call, signal), reply, signal);
    if (call.stream && outcome === null) this.send({ type: 'event', id, data: '[DONE]' });
    return outcome;
  }

  private async use({ file, model }: WorkerCall, signal: AbortSignal): Promise<LoadedModel> {
    if (this.loaded?.file === file) return this.loaded;
    const since = this.now();
    const previous = this.loaded;
    this.loaded = null;
    if (previous !== null) {
      this.send({ type: 'unloaded' });
      await previous.unload();
    }
    try {
      this.loaded = await this.load(file, signal);
    } catch (error) {
      throw new LoadError(`The model can't be loaded: ${(error as Error).message}`);
    }
    this.send({ type: 'loaded', model, loadMs: Math.round(this.now() - since) });
    return this.loaded;
  }
}

class LoadError extends Error {}

function prepare(call: WorkerCall): (loaded: LoadedModel, reply: Reply, signal: AbortSignal) => Promise<Outcome> {
  switch (call.operation) {
    case 'chat':
      return prepareChat(call);
    case 'completions':
      return prepareCompletion(call);
    case 'embeddings':
      return prepareEmbeddings(call);
    case 'load':
      return () => Promise.resolve('');
    case 'responses':
      throw badRequest('unsupported_operation', 'This server has no Responses endpoint.', null);
  }
}

function asFailure(error: unknown): WorkerFailure {
  if (error instanceof RequestFault) return error.toFailure();
  const message = (error as Error).message;
  if (error instanceof LoadError) return { kind: 'configuration', message };
  return { kind: 'status', status: 500, error: { message, type: 'server_error', param: null, code: null } };
}

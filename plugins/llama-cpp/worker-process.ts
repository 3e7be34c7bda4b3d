import path from 'node:path';
import { UpstreamFailure, type AdapterReply, type CallDeadlines, type PluginContext } from '../adapter';
import { CallTimer } from '../call-timer';
import { launch, type Child } from '../process/child';
import { childEnvironment } from '../process/child-environment';
import type { Backend } from '../process/lifecycle';
import { killOrphan } from '../process/pid-file';
import { CallChannel } from './call-channel';
import type { FromWorker, ToWorker, WorkerCall, WorkerSettings } from './protocol';
import { replyOf } from './worker-call';

/** A native call that ignores its abort this long is stuck; only the end of the process frees it. */
const STUCK_MS = 30_000;

/** TERM ends the worker at once; this is for one that is wedged. */
const STOP_GRACE_MS = 2_000;

export interface WorkerOptions {
  readonly context: PluginContext;
  readonly settings: WorkerSettings;
  /** The compiled `worker/main`. */
  readonly script: string;
  readonly startTimeoutMs: number;
}

export class LlamaWorker implements Backend {
  loadedModel: string | null = null;
  private readonly channels = new Map<number, CallChannel>();
  private readonly pongs = new Map<number, () => void>();
  private lastId = 0;

  private constructor(
    private readonly child: Child,
    private readonly loaded: PluginContext['loaded'],
  ) {
    child.process.on('message', (message) => this.receive(message as FromWorker));
    void child.exited.then((how) => {
      this.loadedModel = null;
      for (const channel of this.channels.values())
        channel.fail(new UpstreamFailure('transport', `The model's process ${how}`));
    });
  }

  /** @throws UpstreamFailure */
  static async start(
    { context, settings, script, startTimeoutMs }: WorkerOptions,
    abandoned: AbortSignal,
  ): Promise<LlamaWorker> {
    const pidFile = path.join(context.dataDir, 'worker.pid');
    const orphan = await killOrphan(pidFile);
    if (orphan !== null) context.log('warn', `killed the worker of an earlier run (process ${orphan})`);
    const child = await launch({
      command: process.execPath,
      args: [script, JSON.stringify(settings)],
      env: childEnvironment(),
      cwd: context.dataDir,
      ipc: true,
      pidFile,
      log: context.log,
    });
    const timer = new CallTimer(abandoned);
    timer.arm(startTimeoutMs, `The model's process was not up after ${startTimeoutMs / 1000} s.`);
    try {
      await timer.race(readiness(child));
      return new LlamaWorker(child, context.loaded);
    } catch (error) {
      await child.stop(STOP_GRACE_MS);
      throw error;
    } finally {
      timer.release();
    }
  }

  get exited(): Promise<string> {
    return this.child.exited;
  }

  stop(): Promise<void> {
    return this.child.stop(STOP_GRACE_MS);
  }

  async call(call: WorkerCall, deadlines: CallDeadlines, signal: AbortSignal): Promise<AdapterReply> {
    const id = ++this.lastId;
    const channel = new CallChannel();
    this.channels.set(id, channel);
    this.send({ type: 'call', id, call });
    return replyOf(channel, () => this.leave(id), deadlines, signal);
  }

  /** Answered by the event loop, which stays free while a model computes. */
  async ping(signal: AbortSignal): Promise<void> {
    const id = ++this.lastId;
    const timer = new CallTimer(signal);
    try {
      const pong = new Promise<void>((resolve) => this.pongs.set(id, resolve));
      this.send({ type: 'ping', id });
      await timer.race(pong);
    } finally {
      this.pongs.delete(id);
      timer.release();
    }
  }

  private leave(id: number): void {
    // Gone already when the process died.
    if (!this.channels.has(id) || !this.child.process.connected) return;
    this.send({ type: 'abort', id });
    const stuck = setTimeout(() => {
      if (this.channels.has(id)) void this.child.stop(0);
    }, STUCK_MS);
    stuck.unref();
  }

  private receive(message: FromWorker): void {
    switch (message.type) {
      case 'loaded':
        this.loadedModel = message.model;
        this.loaded?.(message.model, message.loadMs);
        break;
      case 'unloaded':
        this.loadedModel = null;
        break;
      case 'pong':
        this.pongs.get(message.id)?.();
        break;
      case 'event':
      case 'done':
      case 'failed':
        this.channels.get(message.id)?.push(message);
        if (message.type !== 'event') this.channels.delete(message.id);
        break;
      case 'ready':
      case 'broken':
        break;
    }
  }

  private send(message: ToWorker): void {
    if (!this.child.process.connected) throw new UpstreamFailure('transport', "The model's process has ended.");
    this.child.process.send(message);
  }
}

function readiness(child: Child): Promise<void> {
  return new Promise((resolve, reject) => {
    child.process.on('message', (message: FromWorker) => {
      if (message.type === 'ready') resolve();
      if (message.type === 'broken') {
        reject(new UpstreamFailure('configuration', `node-llama-cpp can't be used: ${message.message}`));
      }
    });
    void child.exited.then((how) => reject(new UpstreamFailure('transport', `The model's process ${how}`)));
  });
}

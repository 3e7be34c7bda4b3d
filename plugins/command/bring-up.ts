import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UpstreamFailure, type PluginContext } from '../adapter';
import { OpenAiClient } from '../openai-compatible/client';
import { launch, type Child } from '../process/child';
import { childEnvironment } from '../process/child-environment';
import type { Backend } from '../process/lifecycle';
import { killOrphan } from '../process/pid-file';
import { fillIn } from './arguments';
import { freePort } from './port';
import type { Settings } from './settings';

const ASK_EVERY_MS = 100;

export interface CommandBackend extends Backend {
  readonly client: OpenAiClient;
  health(signal: AbortSignal): Promise<void>;
}

/** Starts the server and waits until it answers its health check. @throws UpstreamFailure */
export async function bringUp(context: PluginContext, abandoned: AbortSignal): Promise<CommandBackend> {
  const options = context.settings as Settings;
  const pidFile = path.join(context.dataDir, 'backend.pid');
  const orphan = await killOrphan(pidFile);
  if (orphan !== null) context.log('warn', `killed the backend of an earlier run (process ${orphan})`);

  const port = await freePort(options.PORT);
  const values = { port, model: options.MODEL, dataDir: context.dataDir };
  const child = await launch({
    command: options.COMMAND,
    args: options.ARGS.map((argument) => fillIn(argument, values)),
    env: childEnvironment(options.ENV),
    cwd: options.CWD ?? context.dataDir,
    pidFile,
    log: context.log,
  });
  const origin = `http://127.0.0.1:${port}`;
  const client = (baseUrl: string): OpenAiClient =>
    new OpenAiClient({ baseUrl, apiKey: options.API_KEY, maxReplyBytes: options.MAX_REPLY_BYTES });
  const [api, root] = [client(origin + options.BASE_PATH), client(origin)];
  const health = (signal: AbortSignal): Promise<void> => root.probe(options.HEALTH_PATH, signal);
  const stop = async (): Promise<void> => {
    await child.stop(options.STOP_TIMEOUT_SEC * 1000);
    await Promise.all([api.close(), root.close()]);
  };
  try {
    await ready(child, health, options.START_TIMEOUT_SEC * 1000, abandoned);
  } catch (error) {
    await stop();
    throw error;
  }
  return { client: api, health, exited: child.exited, stop };
}

async function ready(
  child: Child,
  health: (signal: AbortSignal) => Promise<void>,
  timeoutMs: number,
  abandoned: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([over.signal, timeout, abandoned]);
  let ended: string | null = null;
  void child.exited.then((how) => {
    ended = how;
    over.abort();
  });
  let last = 'no answer yet';
  while (!signal.aborted) {
    try {
      await health(signal);
      return;
    } catch (error) {
      if (!signal.aborted) last = (error as Error).message;
    }
    await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  if (ended !== null) throw new UpstreamFailure('transport', `The backend ${String(ended)}`);
  if (abandoned.aborted) throw new UpstreamFailure('aborted', 'The backend was stopped while it started.');
  throw new UpstreamFailure('timeout', `The backend was not ready after ${timeoutMs / 1000} s: ${last}`);
}

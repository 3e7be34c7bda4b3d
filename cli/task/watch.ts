/** Follows tasks on the live event stream; connects again when it breaks. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LiveEvent, Task } from '../../api/contract/management';
import type { ApiClient } from '../api-client';
import type { Context } from '../context';
import { CliError, EXIT } from '../exit-code';
import { visible } from '../output/visible';
import { readEvents } from '../sse';
import { instant } from '../output/time';
import { stateColour } from './view';

const TERMINAL = new Set<Task['state']>(['completed', 'failed', 'cancelled']);

/** Waits before each try to connect again; after the last the server counts as gone. */
const RECONNECT_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

export async function watchTasks(context: Context, id: string | null, reconnectMs = RECONNECT_MS): Promise<number> {
  const leave = new AbortController();
  const stop = context.terminal.onInterrupt(() => leave.abort());
  const show = shower(context);
  let client = context.api();
  let everConnected = false;
  let failures = 0;
  try {
    for (;;) {
      const end = await follow(client, id, leave.signal, show);
      if (end.kind === 'ended') return end.task.state === 'completed' ? EXIT.ok : EXIT.failed;
      everConnected ||= end.connected;
      if (end.connected) failures = 0;
      const wait = reconnectMs[failures++];
      if (!everConnected || wait === undefined) throw end.error ?? streamEnded(client);
      context.print.say(`The connection broke; connecting again in ${wait / 1000} s.`);
      await delay(wait, undefined, { signal: leave.signal });
      // A server that was started anew has another address file and token.
      client = context.apiIfRunning() ?? client;
    }
  } catch (error) {
    if (!leave.signal.aborted) throw error;
    return id === null ? EXIT.ok : EXIT.interrupted;
  } finally {
    stop();
    leave.abort();
  }
}

type End =
  | { readonly kind: 'ended'; readonly task: Task }
  | { readonly kind: 'broken'; readonly error: Error | null; readonly connected: boolean };

async function follow(
  client: ApiClient,
  id: string | null,
  signal: AbortSignal,
  show: (task: Task) => void,
): Promise<End> {
  let connected = false;
  const leave = new AbortController();
  try {
    // Subscribed before it looks: a change in between is seen in either way.
    const stream = await client.open('GET', '/api/v1/events', { signal: AbortSignal.any([signal, leave.signal]) });
    connected = true;
    if (id !== null) {
      const task = await client.get<Task>(`/api/v1/tasks/${encodeURIComponent(id)}`);
      show(task);
      if (TERMINAL.has(task.state)) return { kind: 'ended', task };
    }
    for await (const { data } of readEvents(stream.body as AsyncIterable<Uint8Array>)) {
      const event = JSON.parse(data) as LiveEvent;
      if (event.type !== 'task' || (id !== null && event.task.id !== id)) continue;
      show(event.task);
      if (id !== null && TERMINAL.has(event.task.state)) return { kind: 'ended', task: event.task };
    }
    // The server ends the stream in order when it stops.
    return { kind: 'broken', error: null, connected };
  } catch (error) {
    if (signal.aborted) throw error;
    const known = client.unreachable(error);
    if (!(known instanceof CliError) || known.exitCode !== EXIT.unreachable) throw known;
    return { kind: 'broken', error: known, connected };
  } finally {
    leave.abort();
  }
}

function streamEnded({ address }: ApiClient): CliError {
  return new CliError(EXIT.unreachable, 'stream_ended', `${address.url} keeps ending the stream of events.`);
}

/** Prints a task when what is printed of it has changed. */
function shower({ print }: Context): (task: Task) => void {
  const shown = new Map<string, string>();
  const paint = stateColour(print);
  return (task) => {
    const facts = [task.id, task.state, task.reason ?? '-', task.model];
    const key = facts.join('\n');
    if (shown.get(task.id) === key) return;
    shown.set(task.id, key);
    if (TERMINAL.has(task.state)) shown.delete(task.id);
    if (print.format !== 'table') return print.line(task);
    const [id = '', state = '', ...rest] = facts.map(visible);
    print.write(`${instant(Date.now())}  ${id}  ${paint(state.padEnd(9))}  ${rest.join('  ')}\n`);
  };
}

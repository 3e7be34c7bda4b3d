import type { FromWorker, WorkerCall } from '../protocol';
import { CallQueue } from './call-queue';
import type { LoadedModel } from './loaded-model';

const LOAD_MS = 700;
const UNLOAD_MS = 50;

/** The calls themselves fail: what is looked at here comes before. */
function queue(): { readonly sent: FromWorker[]; call(model: string): Promise<void> } {
  const sent: FromWorker[] = [];
  let now = 0;
  let ended: () => void = () => undefined;
  const load = (file: string): Promise<LoadedModel> => {
    now += LOAD_MS;
    const unload = (): Promise<void> => {
      now += UNLOAD_MS;
      return Promise.resolve();
    };
    return Promise.resolve({ file, unload } as LoadedModel);
  };
  const send = (message: FromWorker): void => {
    sent.push(message);
    if (message.type === 'failed' || message.type === 'done') ended();
  };
  const calls = new CallQueue(load, send, () => now);
  let id = 0;
  return {
    sent,
    call: (model) =>
      new Promise((resolve) => {
        ended = resolve;
        const call: WorkerCall = {
          operation: 'embeddings',
          file: `/${model}`,
          model,
          body: { input: 'x' },
          stream: false,
        };
        calls.receive({ type: 'call', id: ++id, call });
      }),
  };
}

test('K: the worker tells what each load took, a swap with its unloading; a loaded model is not told of again', async () => {
  const { sent, call } = queue();
  await call('a');
  await call('a');
  await call('b');
  expect(sent.filter(({ type }) => type === 'loaded' || type === 'unloaded')).toEqual([
    { type: 'loaded', model: 'a', loadMs: LOAD_MS },
    { type: 'unloaded' },
    { type: 'loaded', model: 'b', loadMs: LOAD_MS + UNLOAD_MS },
  ]);
});

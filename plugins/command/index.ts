import type { Adapter, PluginContext, PluginPackage } from '../adapter';
import { CallTimer } from '../call-timer';
import { pingLocal } from '../process/ping-local';
import { Lifecycle } from '../process/lifecycle';
import { bringUp } from './bring-up';
import { settings } from './settings';

function create(context: PluginContext): Adapter {
  const life = new Lifecycle((abandoned) => bringUp(context, abandoned));
  return {
    start: () => life.start().then(() => undefined),
    stop: () => life.stop(),
    get backend() {
      return life.backend;
    },
    ping: (signal) => pingLocal(life, (backend) => backend.health(signal)),
    async discover(signal) {
      const { client } = await started(signal);
      return client.models('/models', signal);
    },
    async call(call) {
      const { client } = await started(call.signal);
      return client.call(call);
    },
    loadedModel: null,
  };

  /** A caller that leaves doesn't take the start with it: others may wait for it. */
  async function started(signal: AbortSignal): ReturnType<typeof life.start> {
    const timer = new CallTimer(signal);
    try {
      return await timer.race(life.start());
    } finally {
      timer.release();
    }
  }
}

export const plugin: PluginPackage = {
  manifest: {
    name: 'command',
    version: '0.1.0',
    title: 'Server started by a command',
    description: 'Starts an OpenAI-compatible server on this host, e.g. llama-server or vLLM, and watches over it.',
    local: true,
    oneModelAtATime: false,
    requires: '>=0.1.0 <0.2.0',
    operations: ['chat', 'completions', 'embeddings', 'responses'],
    settings,
  },
  create,
};

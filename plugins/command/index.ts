import type { Adapter, PluginContext, PluginPackage } from '../adapter';
import { pingLocal } from '../process/ping-local';
import { Lifecycle } from '../process/lifecycle';
import { bringUp } from './bring-up';
import { settings } from './settings';

function create(context: PluginContext): Adapter {
  const life = new Lifecycle((abandoned) => bringUp(context, abandoned), context.changed);
  return {
    start: () => life.start().then(() => undefined),
    stop: () => life.stop(),
    get backend() {
      return life.backend;
    },
    ping: (signal) => pingLocal(life, (backend) => backend.health(signal)),
    async discover(signal) {
      const { client } = await life.startFor(signal);
      return client.models('/models', signal);
    },
    async call(call) {
      const { client } = await life.startFor(call.signal);
      return client.call(call);
    },
    loadedModel: null,
  };
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

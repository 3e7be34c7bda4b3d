import type { Adapter, BackendState, PluginContext, PluginPackage } from '../adapter';
import { OpenAiClient } from './client';
import { settings, type Settings } from './settings';

function create(context: PluginContext): Adapter {
  const options = context.settings as Settings;
  let client: OpenAiClient | null = null;

  /** Also on the first call after a stop: there is nothing to bring up but connections. */
  function connected(): OpenAiClient {
    client ??= new OpenAiClient({
      baseUrl: options.BASE_URL,
      apiKey: options.API_KEY,
      organization: options.ORGANIZATION,
      headers: options.HEADERS,
      maxReplyBytes: options.MAX_REPLY_BYTES,
    });
    return client;
  }

  return {
    async start() {
      connected();
    },
    async stop() {
      const closing = client;
      client = null;
      await closing?.close();
    },
    /** The remote server is not ours to start: whether it answers is what `ping` tells. */
    get backend() {
      const state: BackendState = client === null ? 'stopped' : 'running';
      return { state, detail: null };
    },
    ping: (signal) => connected().probe(options.MODELS_PATH, signal),
    discover: (signal) => connected().models(options.MODELS_PATH, signal),
    call: (call) => connected().call(call),
    loadedModel: null,
  };
}

export const plugin: PluginPackage = {
  manifest: {
    name: 'openai-compatible',
    version: '0.1.0',
    title: 'OpenAI-compatible server',
    description:
      'Any server or service that speaks the OpenAI protocol: vLLM, llama-server, Ollama, OpenAI and others.',
    local: false,
    oneModelAtATime: false,
    requires: '>=0.1.0 <0.2.0',
    operations: ['chat', 'completions', 'embeddings', 'responses'],
    settings,
  },
  create,
};

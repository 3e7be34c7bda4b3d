import path from 'node:path';
import type { PluginPackage } from '../adapter';
import { createAdapter } from './adapter';
import { settings } from './settings';

export const plugin: PluginPackage = {
  manifest: {
    name: 'llama-cpp',
    version: '0.1.0',
    title: 'llama.cpp',
    description: 'Runs GGUF models on this host with llama.cpp, in a process of its own, one model at a time.',
    local: true,
    oneModelAtATime: true,
    requires: '>=0.1.0 <0.2.0',
    operations: ['chat', 'completions', 'embeddings'],
    settings,
  },
  // A clone runs the worker of its own copy.
  create: (context) => createAdapter(context, context.packageDir && path.join(context.packageDir, 'worker', 'main.js')),
};

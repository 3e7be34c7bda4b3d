import { availableParallelism } from 'node:os';
import { z } from 'zod';

/**
 * One core is left to the server: llama.cpp's threads wait for each other by spinning, and one that
 * is preempted stalls all the others. Measured on 2 busy cores: 22 ms a token with one thread,
 * 75 ms with two, and stalls of seconds.
 */
export function defaultThreads(parallelism: number = availableParallelism()): number {
  return Math.max(1, parallelism - 1);
}

export const settings = z.strictObject({
  MODELS_DIR: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .meta({ description: "Where the GGUF files are; by default `models` in the plugin's own directory." }),
  CONTEXT_SIZE: z
    .int()
    .min(256)
    .max(1_048_576)
    .default(4096)
    .meta({ description: 'Longest prompt and answer together, in tokens; less when the model was trained on less.' }),
  THREADS: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'CPU threads, at most one a core; by default one core is left to the server.' }),
  GPU: z
    .enum(['auto', 'cuda', 'vulkan', 'metal', 'off'])
    .default('auto')
    .meta({ description: 'Which GPU library to use; auto takes the best one that is installed.' }),
  MEMORY_MARGIN_MIB: z
    .int()
    .min(0)
    .nullable()
    .default(256)
    .meta({
      description:
        'Memory in MiB that must stay free beside a model on the CPU, for its computing buffers and other programs; ' +
        'one that does not fit is not loaded. null loads it all the same.',
    }),
  START_TIMEOUT_SEC: z
    .number()
    .positive()
    .max(3600)
    .default(60)
    .meta({ description: 'Until the worker process must be up, in seconds. Loading a model is not part of it.' }),
});

export type Settings = z.infer<typeof settings>;

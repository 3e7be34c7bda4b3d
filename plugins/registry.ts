import type { PluginPackage } from './adapter';
import { plugin as command } from './command';
import { plugin as llamaCpp } from './llama-cpp';
import { plugin as openAiCompatible } from './openai-compatible';

/** The packages that come with SoAI, by the PACKAGE of the settings file. */
export const bundledPackages: ReadonlyMap<string, PluginPackage> = new Map(
  [openAiCompatible, llamaCpp, command].map((plugin) => [plugin.manifest.name, plugin]),
);

/** Makes a plugin package of an installed one: its server runs as a child, as those of `command` do. */
import path from 'node:path';
import type { Adapter, PluginContext, PluginPackage } from '../adapter';
import { plugin as command } from '../command';
import { checkSettings } from '../manifest-settings';
import { settingsSchema, type PackagedManifest } from './manifest';

/** @param directory where its files are, unless a plugin has a copy of its own */
export function packagedPlugin(manifest: PackagedManifest, directory: string): PluginPackage {
  const { requires } = manifest;
  return {
    manifest: {
      name: manifest.name,
      version: manifest.version,
      title: manifest.title,
      description: manifest.description,
      local: true,
      oneModelAtATime: manifest.one_model_at_a_time,
      requires: requires.soai,
      ...(requires.platform ? { platforms: requires.platform } : {}),
      ...(requires.node === undefined ? {} : { node: requires.node }),
      operations: manifest.operations,
      settings: settingsSchema(manifest.settings),
    },
    create: (context) => create(manifest, context.packageDir ?? directory, context),
  };
}

function create({ backend }: PackagedManifest, directory: string, context: PluginContext): Adapter {
  const [program = '', ...args] = backend.command.map((word) => word.replaceAll('{package_dir}', directory));
  const checked = checkSettings(command.manifest, {
    COMMAND: programFile(program, directory),
    ARGS: args,
    ENV: environmentOf(context.settings),
    BASE_PATH: backend.base_path,
    HEALTH_PATH: backend.health_path,
    START_TIMEOUT_SEC: backend.start_timeout_sec,
    STOP_TIMEOUT_SEC: backend.stop_timeout_sec,
  });
  if (!checked.valid)
    throw new Error(checked.faults.map(({ setting, message }) => `${setting}: ${message}`).join('; '));
  return command.create({ ...context, settings: checked.settings });
}

/** `node` is the one that runs SoAI; `./x` a file of the package; anything else is looked up on PATH. */
function programFile(program: string, directory: string): string {
  if (program === 'node') return process.execPath;
  return program.startsWith('./') ? path.join(directory, program) : program;
}

function environmentOf(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value as string | number | boolean)]));
}

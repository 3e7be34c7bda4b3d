/** From the name a client sent to the place that serves it, or the refusal that says why there is none. */
import type { Catalogue, CatalogueModel } from '../../activities/catalogue';
import type { HostedPlugin, PluginHost } from '../../activities/plugin-host';
import type { Operation } from '../../workflows/contract';
import { AppError } from '../errors/app-error';

export function resolveModel(
  catalogue: Catalogue,
  plugins: PluginHost,
  name: string,
  operation: Operation,
): CatalogueModel {
  const model = catalogue.find(name);
  if (!model) {
    throw new AppError('model_not_found', {
      param: 'model',
      message: `The model '${printable(name)}' does not exist here. GET /v1/models lists those that do.`,
    });
  }
  if (!model.enabled) {
    throw new AppError('model_not_found', { param: 'model', message: `The model '${name}' is disabled.` });
  }
  if (model.capabilities.length > 0 && !model.capabilities.includes(operation)) {
    throw new AppError('no_eligible_member', {
      param: 'model',
      message: `The model '${name}' can't do ${operation}; it offers ${model.capabilities.join(', ')}.`,
    });
  }
  const problem = pluginProblem(plugins.get(model.pluginId), model.pluginId);
  if (problem)
    throw new AppError('plugin_unavailable', { message: `The model '${name}' can't be reached: ${problem}` });
  return model;
}

/** Why a plugin can't take requests at all, as a sentence, or null. */
export function pluginProblem(plugin: HostedPlugin | undefined, id: string): string | null {
  if (!plugin) return `its plugin '${id}' is not installed.`;
  if (!plugin.enabled) return `its plugin '${id}' is disabled.`;
  if (plugin.incompatible !== null) return `its plugin '${id}' is incompatible.`;
  return null;
}

/** A name quoted in an error: control characters out, length bounded (S8). */
function printable(name: string): string {
  return name.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '\ufffd').slice(0, 128);
}

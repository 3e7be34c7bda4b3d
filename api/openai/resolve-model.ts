/** From the name a client sent to the place that serves it, or the refusal that says why there is none. */
import type { Catalogue, CatalogueModel } from '../../activities/catalogue';
import type { PluginHost } from '../../activities/plugin-host';
import { standingProblem } from '../../activities/plugin-problem';
import type { Operation } from '../../workflows/contract';
import { spokenOperation } from '../../workflows/rules/dialects/spoken-operation';
import { AppError } from '../errors/app-error';

export interface ModelSources {
  readonly catalogue: Catalogue;
  readonly plugins: PluginHost;
}

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
  if (spokenOperation(operation, model.capabilities) === null) {
    throw new AppError('no_eligible_member', {
      param: 'model',
      message: `The model '${name}' can't do ${operation}; it offers ${model.capabilities.join(', ')}.`,
    });
  }
  const problem = standingProblem(plugins.get(model.pluginId), model.pluginId);
  if (problem) {
    const code = problem.code === 'plugin_quarantined' ? 'backend_quarantined' : 'plugin_unavailable';
    throw new AppError(code, { message: `The model '${name}' can't be reached: ${problem.sentence}` });
  }
  return model;
}

/** A name quoted in an error: control characters out, length bounded (S8). */
function printable(name: string): string {
  return name.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '\ufffd').slice(0, 128);
}

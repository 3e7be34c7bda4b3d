/** The settings file's entries are read-only here; the refusal says where they are (D8). */
import type { CatalogueModel, VirtualModel } from '../../activities/catalogue';
import { definitionOf, type Definition } from '../../config/definition';
import { AppError } from '../errors/app-error';
import type { ModelDeps } from './model-deps';

const CATALOG = ['MODELS', 'CATALOG'];
const VIRTUAL_MODELS = ['MODELS', 'ROUTING', 'VIRTUAL_MODELS'];

/** Null for what the database holds. */
export function modelDefinition({ catalogue, origins }: ModelDeps, model: CatalogueModel): Definition | null {
  if (model.origin !== 'config') return null;
  // The settings file's come first and in its order, in both lists.
  return definitionOf([...CATALOG, catalogue.all().indexOf(model)], origins);
}

export function virtualDefinition({ catalogue, origins }: ModelDeps, virtual: VirtualModel): Definition | null {
  if (virtual.origin !== 'config') return null;
  return definitionOf([...VIRTUAL_MODELS, catalogue.virtuals().indexOf(virtual)], origins);
}

export function refuseIfDefined(what: string, definition: Definition | null): void {
  if (!definition) return;
  const { place, appliedBy } = definition;
  throw new AppError('defined_in_settings', {
    message:
      `The ${what} is defined in the settings, at ${place}, so it can be neither changed nor deleted here. ` +
      `Change it there; a ${appliedBy} applies it.`,
  });
}

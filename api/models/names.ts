/** The one name space of model ids, aliases and virtual models (D2). */
import type { Catalogue } from '../../activities/catalogue';
import { ConstraintViolation } from '../../store/errors';
import { takenName, type NameHolder } from '../../workflows/rules/virtual-model';
import { AppError } from '../errors/app-error';

type Self = Pick<NameHolder, 'kind' | 'of'>;

/** @throws AppError `name_taken` that says by what */
export function refuseTakenNames(catalogue: Catalogue, wanted: readonly string[], self: Self | null): void {
  const taken = takenName(wanted, holders(catalogue), self);
  if (!taken) return;
  const { name, by } = taken;
  const holder = by.kind === 'model' ? `the model '${by.of}'` : `the virtual model '${by.of}'`;
  const how = by.kind === 'model' && by.name !== by.of ? `${holder}, as its alias '${by.name}'` : holder;
  throw new AppError('name_taken', { message: `The name '${name}' is taken by ${how}.` });
}

/** Another process can be faster than the check above; the database decides then. */
export async function orNameTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConstraintViolation) throw new AppError('name_taken', { cause: error });
    throw error;
  }
}

function* holders(catalogue: Catalogue): Generator<NameHolder> {
  for (const { id, aliases } of catalogue.all()) {
    for (const name of [id, ...aliases]) yield { kind: 'model', of: id, name };
  }
  for (const { name } of catalogue.virtuals()) yield { kind: 'virtual_model', of: name, name };
}

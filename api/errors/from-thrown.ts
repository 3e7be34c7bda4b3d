/** What a client may know of anything thrown: an AppError as it is, all else without its details. */
import { PluginRefusal } from '../../activities/plugins/refusal';
import { ConstraintViolation, DatabaseError, DatabaseFull, InvalidCursor } from '../../store/errors';
import { AppError } from './app-error';

export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof PluginRefusal) {
    return new AppError(thrown.code, { message: thrown.message, param: thrown.param });
  }
  if (thrown instanceof InvalidCursor) return new AppError('invalid_cursor', { param: 'cursor' });
  if (thrown instanceof DatabaseFull) return new AppError('insufficient_storage', { cause: thrown });
  // A broken constraint is a fault of ours; whatever else the database says is its own.
  const databases = thrown instanceof DatabaseError && !(thrown instanceof ConstraintViolation);
  return new AppError(databases ? 'database_busy' : 'internal_error', { cause: thrown });
}

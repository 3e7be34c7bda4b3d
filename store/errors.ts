/**
 * What the store throws. Driver errors carry the statement's parameters (bodies, hashes), so none
 * of them leaves the store: they are translated by `driver-errors.ts`.
 */
import type { SeatScope } from './records';

/** A failure of the database that no narrower class names. */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';

  constructor(
    message: string,
    /** The driver's code, e.g. SQLITE_FULL or 53100. */
    readonly code: string | null = null,
    /** True when going on could lose acknowledged work: stop accepting, end the process (fault C9). */
    readonly fatal = false,
  ) {
    super(message);
  }
}

/** Somebody else held a lock for longer than the busy time-out (fault C1). Nothing was written. */
export class DatabaseBusy extends DatabaseError {
  override readonly name = 'DatabaseBusy';
}

/** No space left (fault C3). Nothing was written; works again once there is space. */
export class DatabaseFull extends DatabaseError {
  override readonly name = 'DatabaseFull';
}

/** The file is damaged (fault C6). The store takes no more writes. */
export class DatabaseCorrupt extends DatabaseError {
  override readonly name = 'DatabaseCorrupt';
}

/** Not reachable, not openable, or closed. */
export class DatabaseUnavailable extends DatabaseError {
  override readonly name = 'DatabaseUnavailable';
}

/** A unique or foreign key refused the row, e.g. a name that is taken. */
export class ConstraintViolation extends DatabaseError {
  override readonly name = 'ConstraintViolation';
}

/** The database was written by a newer SoAI (fault C15). Nothing was changed. */
export class SchemaTooNew extends DatabaseError {
  override readonly name = 'SchemaTooNew';
}

/** A5: as many run at this plugin or for this owner as may, over all processes. Nothing was written. */
export class SeatTaken extends Error {
  override readonly name = 'SeatTaken';

  constructor(
    readonly scope: SeatScope,
    readonly id: string,
  ) {
    super(`no seat is free: ${scope} ${id}`);
  }
}

/** A list's cursor that this store did not make. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';

  constructor() {
    super('the cursor is not one that a list of this server returned');
  }
}

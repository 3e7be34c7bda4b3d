/**
 * The grouped writer: one FIFO in front of the database's transactions.
 *
 * Every write is a unit. The first starts at once; what queues up while a commit runs forms the
 * next group, so one sync to the disk pays for many units (spec A1). A unit's promise settles only
 * after COMMIT. Each unit has a savepoint of its own, so one that fails takes nothing with it.
 */
import { translate } from './driver-errors';
import { DatabaseBusy, DatabaseCorrupt, DatabaseError, DatabaseFull, DatabaseUnavailable } from './errors';
import type { Sql, Transaction } from './sql';

/** Units of one kind that a group runs as one, e.g. as a multi-row INSERT. */
export interface Batch<Item, Result> {
  /** Results in the order of the items. */
  run(sql: Sql, items: readonly Item[]): Promise<readonly Result[]>;
}

interface Unit {
  readonly batch: Batch<unknown, unknown>;
  readonly item: unknown;
  readonly bytes: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Work<T> = (sql: Sql) => Promise<T>;

export interface GroupLimits {
  readonly units: number;
  readonly bytes: number;
}

/** How often a group is run that another process's transaction was preferred to. */
const MOST_TRIES = 3;

/** What a unit without a large body counts for, bytes. */
const smallUnit = 1024;

export class GroupCommit {
  #queued: Unit[] = [];
  #draining: Promise<void> | null = null;
  #refusal: DatabaseError | null = null;

  constructor(
    private readonly begin: () => Promise<Transaction>,
    private readonly onFatal: (error: DatabaseError) => void = () => {},
    private readonly limits: GroupLimits = { units: 64, bytes: 4 * 1024 * 1024 },
  ) {}

  /** Why nothing is written any more, or null. */
  get refusal(): DatabaseError | null {
    return this.#refusal;
  }

  write<T>(work: Work<T>, bytes = smallUnit): Promise<T> {
    return this.writeTogether({ run: async (sql) => [await work(sql)] }, null, bytes);
  }

  writeTogether<Item, Result>(batch: Batch<Item, Result>, item: Item, bytes: number): Promise<Result> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    return new Promise<Result>((resolve, reject) => {
      this.#queued.push({ batch, item, bytes, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Stops all writing when the error, of a write or a read, says that the database is damaged. */
  noticed(error: unknown): void {
    if (!(error instanceof DatabaseError && error.fatal) || this.#refusal) return;
    this.#refusal = error;
    for (const unit of this.#queued.splice(0)) unit.reject(error);
    this.onFatal(error);
  }

  /** Takes no more units; resolves when those it has are settled. */
  async close(): Promise<void> {
    this.#refusal ??= new DatabaseUnavailable('the store is closed');
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queued.length > 0) await this.#commit(this.#nextGroup());
    this.#draining = null;
  }

  #nextGroup(): Unit[] {
    let size = 0;
    let bytes = 0;
    for (const unit of this.#queued) {
      bytes += unit.bytes;
      if (size === this.limits.units || (size > 0 && bytes > this.limits.bytes)) break;
      size += 1;
    }
    return this.#queued.splice(0, size);
  }

  async #commit(group: readonly Unit[], tries = 1): Promise<void> {
    const settled: (() => void)[] = [];
    let transaction: Transaction | null = null;
    try {
      transaction = await this.begin();
      for (const part of partsOf(group)) settled.push(...(await run(transaction, part, group.length > 1)));
      await transaction.commit();
    } catch (error) {
      await transaction?.rollback();
      const failure = translate(error);
      if (isConflict(failure) && tries < MOST_TRIES) return this.#commit(group, tries + 1);
      this.#fail(group, failure);
      return;
    }
    for (const settle of settled) settle();
  }

  #fail(group: readonly Unit[], error: unknown): void {
    for (const unit of group) unit.reject(error);
    this.noticed(error);
  }
}

/** The units of one batch together, at the end; the rest one by one, in their order. */
function partsOf(group: readonly Unit[]): Unit[][] {
  const parts = new Map<Batch<unknown, unknown>, Unit[]>();
  for (const unit of group) {
    const part = parts.get(unit.batch);
    if (part) part.push(unit);
    else parts.set(unit.batch, [unit]);
  }
  return [...parts.values()].sort((a, b) => a.length - b.length);
}

/** Runs one part; returns what to tell its callers once the group is committed. */
async function run(sql: Sql, part: readonly Unit[], isolated: boolean): Promise<(() => void)[]> {
  if (isolated) await sql.run('SAVEPOINT unit');
  try {
    const results = await part[0]!.batch.run(
      sql,
      part.map((unit) => unit.item),
    );
    if (isolated) await sql.run('RELEASE SAVEPOINT unit');
    return part.map((unit, index) => () => unit.resolve(results[index]));
  } catch (error) {
    const failure = translate(error);
    if (!isolated || isDamage(failure)) throw failure;
    await sql.run('ROLLBACK TO SAVEPOINT unit');
    await sql.run('RELEASE SAVEPOINT unit');
    if (part.length === 1) return [() => part[0]!.reject(failure)];
  }
  const settled: (() => void)[] = [];
  for (const unit of part) settled.push(...(await run(sql, [unit], true)));
  return settled;
}

/** PostgreSQL ended the transaction in favour of another process's: nothing was written, and it can be run again. */
const isConflict = (error: unknown): boolean =>
  error instanceof DatabaseBusy && (error.code === '40P01' || error.code === '40001');

/** Nothing that one unit did: the transaction is lost, with or without its savepoint. */
const isDamage = (error: unknown): boolean =>
  error instanceof DatabaseFull ||
  error instanceof DatabaseCorrupt ||
  error instanceof DatabaseUnavailable ||
  isConflict(error);

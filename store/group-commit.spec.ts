import type { DatabaseError } from './errors';
import { DatabaseCorrupt, DatabaseFull, DatabaseUnavailable } from './errors';
import { GroupCommit, type Batch } from './group-commit';
import type { Sql, Transaction } from './sql';

/** A database that only keeps a log of what it was asked, and that fails where it is told to. */
class FakeDatabase {
  readonly log: string[] = [];
  failing: Record<string, Error> = {};
  /** Resolves the next COMMIT when set. */
  commitGate: Promise<void> = Promise.resolve();

  readonly begin = async (): Promise<Transaction> => {
    await this.statement('BEGIN');
    return {
      run: (text: string) => this.statement(text).then(() => 0),
      commit: async () => {
        await this.commitGate;
        await this.statement('COMMIT');
      },
      rollback: () => this.statement('ROLLBACK'),
    } as unknown as Transaction;
  };

  private async statement(text: string): Promise<void> {
    this.log.push(text);
    if (this.failing[text]) throw this.failing[text];
  }
}

const insert = (name: string) => (sql: Sql) => sql.run(name).then(() => name);
const insertAll: Batch<string, string> = {
  run: async (sql, names) => {
    await sql.run(names.join('+'));
    return names.map((name) => `${name}!`);
  },
};

function gate(): { wait: Promise<void>; open: () => void } {
  let open = (): void => {};
  const wait = new Promise<void>((resolve) => (open = resolve));
  return { wait, open };
}

let database: FakeDatabase;

beforeEach(() => {
  database = new FakeDatabase();
});

describe('groups', () => {
  test('A1: the first unit starts at once; what queues during its commit forms the next group', async () => {
    const writer = new GroupCommit(database.begin);
    const commit = gate();
    database.commitGate = commit.wait;
    const first = writer.write(insert('a'));
    expect(database.log).toEqual(['BEGIN']);
    const rest = [writer.write(insert('b')), writer.write(insert('c'))];
    commit.open();
    await expect(Promise.all([first, ...rest])).resolves.toEqual(['a', 'b', 'c']);
    expect(database.log.join(' ')).toBe(
      'BEGIN a COMMIT BEGIN SAVEPOINT unit b RELEASE SAVEPOINT unit SAVEPOINT unit c RELEASE SAVEPOINT unit COMMIT',
    );
  });

  test('A1: a unit resolves only after COMMIT', async () => {
    const writer = new GroupCommit(database.begin);
    const commit = gate();
    database.commitGate = commit.wait;
    const unit = writer.write(insert('a')).then(() => database.log.push('resolved'));
    commit.open();
    await unit;
    expect(database.log).toEqual(['BEGIN', 'a', 'COMMIT', 'resolved']);
  });

  test('A1: units of one batch run as one, and each gets its own result', async () => {
    const writer = new GroupCommit(database.begin);
    const first = writer.write(insert('a'));
    const together = ['x', 'y', 'z'].map((name) => writer.writeTogether(insertAll, name, 1));
    await expect(Promise.all([first, ...together])).resolves.toEqual(['a', 'x!', 'y!', 'z!']);
    expect(database.log.slice(3)).toEqual(['BEGIN', 'SAVEPOINT unit', 'x+y+z', 'RELEASE SAVEPOINT unit', 'COMMIT']);
  });

  test('A1: a group has at most 64 units', async () => {
    const writer = new GroupCommit(database.begin);
    const units = Array.from({ length: 130 }, (_, index) => writer.writeTogether(insertAll, String(index), 1));
    await Promise.all(units);
    const sizes = database.log.filter((entry) => /\d/.test(entry)).map((entry) => entry.split('+').length);
    expect(sizes).toEqual([1, 64, 64, 1]);
  });

  test('A1: a group carries at most 4 MiB; a unit that is larger goes alone', async () => {
    const writer = new GroupCommit(database.begin);
    const mebibytes = [1, 3, 1, 1, 9, 2, 2, 1];
    await Promise.all(mebibytes.map((size) => writer.writeTogether(insertAll, String(size), size * 1024 * 1024)));
    expect(database.log.filter((entry) => /\d/.test(entry))).toEqual(['1', '3+1', '1', '9', '2+2', '1']);
  });
});

describe('failures', () => {
  test('A1: a failing unit is rolled back alone; its neighbours are committed', async () => {
    const writer = new GroupCommit(database.begin);
    database.failing = { bad: new Error('bad') };
    const outcomes = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((name) => writer.write(insert(name))));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(database.log.join(' ')).toContain('SAVEPOINT unit bad ROLLBACK TO SAVEPOINT unit RELEASE SAVEPOINT unit');
    expect(database.log.at(-1)).toBe('COMMIT');
  });

  test('A1: a batch with one bad item is run again item by item', async () => {
    const writer = new GroupCommit(database.begin);
    database.failing = { 'x+bad+y': new Error('bad'), bad: new Error('bad') };
    const first = writer.write(insert('a'));
    const batch = ['x', 'bad', 'y'].map((name) => writer.writeTogether(insertAll, name, 1));
    const outcomes = await Promise.allSettled([first, ...batch]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  test('A1: a unit alone in its group is rolled back with it', async () => {
    const writer = new GroupCommit(database.begin);
    database.failing = { bad: new Error('bad') };
    await expect(writer.write(insert('bad'))).rejects.toThrow('bad');
    expect(database.log).toEqual(['BEGIN', 'bad', 'ROLLBACK']);
    await expect(writer.write(insert('a'))).resolves.toBe('a');
  });

  test.each(['BEGIN', 'COMMIT'])(
    'A1: when %s fails every unit of the group learns it, and the next group goes on',
    async (text) => {
      const writer = new GroupCommit(database.begin);
      const first = writer.write(insert('a'));
      const group = [writer.write(insert('b')), writer.write(insert('c'))];
      await first;
      database.failing = { [text]: Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' }) };
      const outcomes = await Promise.allSettled(group);
      expect(outcomes).toMatchObject([{ reason: { name: 'DatabaseBusy' } }, { reason: { name: 'DatabaseBusy' } }]);
      database.failing = {};
      await expect(writer.write(insert('d'))).resolves.toBe('d');
    },
  );

  test('C3: a full disk fails the group, not only the unit that met it', async () => {
    const writer = new GroupCommit(database.begin);
    const first = writer.write(insert('a'));
    database.failing = { c: Object.assign(new Error('full'), { code: 'SQLITE_FULL' }) };
    const outcomes = await Promise.allSettled([first, ...['b', 'c', 'd'].map((name) => writer.write(insert(name)))]);
    expect(outcomes.slice(1)).toEqual(Array(3).fill({ status: 'rejected', reason: expect.any(DatabaseFull) }));
    expect(database.log.at(-1)).toBe('ROLLBACK');
    await expect(writer.write(insert('e'))).resolves.toBe('e');
  });

  test.each([
    ['C6', 'SQLITE_CORRUPT', DatabaseCorrupt],
    ['C9', 'SQLITE_IOERR', DatabaseUnavailable],
  ])('%s: after %s nothing is written any more and it is told once', async (_, code, kind) => {
    const told: DatabaseError[] = [];
    const writer = new GroupCommit(database.begin, (error) => told.push(error));
    database.failing = { COMMIT: Object.assign(new Error('damage'), { code }) };
    const units = Array.from({ length: 100 }, (_, index) => writer.write(insert(`u${index}`)));
    const outcomes = await Promise.allSettled(units);
    expect(outcomes).toEqual(Array(100).fill({ status: 'rejected', reason: expect.any(kind) }));
    database.failing = {};
    const before = database.log.length;
    await expect(writer.write(insert('late'))).rejects.toThrow(kind);
    expect(database.log).toHaveLength(before);
    expect(told).toEqual([writer.refusal]);
  });
});

test('C8: closing settles what is queued and refuses what comes later', async () => {
  const writer = new GroupCommit(database.begin);
  const units = ['a', 'b', 'c'].map((name) => writer.write(insert(name)));
  await writer.close();
  await expect(Promise.all(units)).resolves.toEqual(['a', 'b', 'c']);
  await expect(writer.write(insert('late'))).rejects.toThrow(DatabaseUnavailable);
});

test('C6: corruption that a read met stops the writes too; an ordinary error does not', async () => {
  const writer = new GroupCommit(database.begin);
  writer.noticed(new DatabaseFull('full', 'SQLITE_FULL'));
  await expect(writer.write(insert('a'))).resolves.toBe('a');
  writer.noticed(new DatabaseCorrupt('malformed', 'SQLITE_CORRUPT', true));
  await expect(writer.write(insert('b'))).rejects.toThrow(DatabaseCorrupt);
});

/** The parts of the store that the API itself reads and writes, in memory, with a switch for outages. */
import { ConstraintViolation } from '../../store/errors';
import type {
  Account,
  Answer,
  ApiKey,
  AttemptRecord,
  DownloadEnd,
  DownloadRow,
  ModelRow,
  Session,
  TaskRecord,
  VirtualModelRow,
} from '../../store/records';
import type { Page, Store, TaskFilter } from '../../store/store';

export class MemoryStore {
  readonly kind = 'sqlite' as const;
  readonly accountRows = new Map<string, Account>();
  readonly keyRows = new Map<string, ApiKey>();
  readonly sessionRows = new Map<string, Session>();
  readonly taskRows = new Map<string, TaskRecord>();
  readonly attemptRows: AttemptRecord[] = [];
  readonly answers = new Map<string, Answer>();
  readonly downloadRows = new Map<string, DownloadRow>();
  readonly modelRows = new Map<string, ModelRow>();
  readonly virtualRows = new Map<string, VirtualModelRow>();
  setupTokenHash: string | null = null;
  /** Every call by its name. */
  readonly calls: string[] = [];
  /** While set, every call fails with it. */
  outage: Error | null = null;

  private async query<T>(name: string, work: () => T): Promise<T> {
    this.calls.push(name);
    if (this.outage) throw this.outage;
    return work();
  }

  readonly accounts = {
    get: (id: string) => this.query('accounts.get', () => this.accountRows.get(id) ?? null),
    byName: (name: string) => this.query('accounts.byName', () => this.accountNamed(name)),
    list: () => this.query('accounts.list', () => [...this.accountRows.values()]),
    ensureAdmin: (now: number) =>
      this.query(
        'accounts.ensureAdmin',
        () => this.accountNamed('admin') ?? this.addAccount('admin', 'administrator', now),
      ),
    create: (account: Account) => this.query('accounts.create', () => void this.accountRows.set(account.id, account)),
    setPassword: (id: string, passwordHash: string) =>
      this.query(
        'accounts.setPassword',
        () => void this.accountRows.set(id, { ...this.accountRows.get(id)!, passwordHash }),
      ),
  };

  readonly keys = {
    create: (key: ApiKey) => this.query('keys.create', () => void this.keyRows.set(key.id, key)),
    byHash: (hash: string) =>
      this.query('keys.byHash', () => [...this.keyRows.values()].find((key) => key.hash === hash) ?? null),
    list: (accountId?: string) =>
      this.query('keys.list', () =>
        [...this.keyRows.values()].filter((key) => accountId === undefined || key.accountId === accountId),
      ),
    revoke: (id: string, at: number) => this.query('keys.revoke', () => this.revokeKey(id, at)),
    touch: (ids: readonly string[], at: number) =>
      this.query('keys.touch', () => {
        for (const id of ids) this.keyRows.set(id, { ...this.keyRows.get(id)!, lastUsedAt: at });
      }),
  };

  readonly sessions = {
    create: (session: Session) => this.query('sessions.create', () => void this.sessionRows.set(session.hash, session)),
    byHash: (hash: string) => this.query('sessions.byHash', () => this.sessionRows.get(hash) ?? null),
    remove: (hash: string) => this.query('sessions.remove', () => void this.sessionRows.delete(hash)),
    removeAllOf: (accountId: string) =>
      this.query('sessions.removeAllOf', () => {
        for (const row of [...this.sessionRows.values()])
          if (row.accountId === accountId) this.sessionRows.delete(row.hash);
      }),
    removeExpired: () => this.query('sessions.removeExpired', () => undefined),
    putSetupToken: (hash: string) => this.query('sessions.putSetupToken', () => void (this.setupTokenHash = hash)),
    useSetupToken: (hash: string) =>
      this.query('sessions.useSetupToken', () => {
        const right = this.setupTokenHash === hash;
        if (right) this.setupTokenHash = null;
        return right;
      }),
  };

  readonly tasks = {
    get: (id: string) => this.query('tasks.get', () => this.taskRows.get(id) ?? null),
    list: (filter: TaskFilter): Promise<Page<TaskRecord>> => this.query('tasks.list', () => this.page(filter)),
    attempts: (id: string) => this.query('tasks.attempts', () => this.attemptRows.filter((row) => row.taskId === id)),
    answer: (id: string) => this.query('tasks.answer', () => this.answers.get(id) ?? null),
  };

  readonly catalogue = {
    revision: () => this.query('catalogue.revision', () => 0),
    models: () => this.query('catalogue.models', () => [...this.modelRows.values()]),
    addModel: (row: ModelRow) =>
      this.query('catalogue.addModel', () => {
        if (this.modelRows.has(row.id)) throw new ConstraintViolation('taken');
        this.modelRows.set(row.id, row);
      }),
    changeModel: (row: ModelRow) =>
      this.query('catalogue.changeModel', () => this.modelRows.has(row.id) && Boolean(this.modelRows.set(row.id, row))),
    removeModel: (id: string, dependents: readonly VirtualModelRow[] = []) =>
      this.query('catalogue.removeModel', () => {
        for (const row of dependents) this.virtualRows.set(row.name, row);
        return this.modelRows.delete(id);
      }),
    virtualModels: () => this.query('catalogue.virtualModels', () => [...this.virtualRows.values()]),
    addVirtualModel: (row: VirtualModelRow) =>
      this.query('catalogue.addVirtualModel', () => {
        if (this.virtualRows.has(row.name)) throw new ConstraintViolation('taken');
        this.virtualRows.set(row.name, row);
      }),
    changeVirtualModel: (row: VirtualModelRow) =>
      this.query(
        'catalogue.changeVirtualModel',
        () => this.virtualRows.has(row.name) && Boolean(this.virtualRows.set(row.name, row)),
      ),
    removeVirtualModel: (name: string) =>
      this.query('catalogue.removeVirtualModel', () => this.virtualRows.delete(name)),
  };

  readonly downloads = {
    add: (row: DownloadRow) => this.query('downloads.add', () => void this.downloadRows.set(row.id, row)),
    get: (id: string) => this.query('downloads.get', () => this.downloadRows.get(id) ?? null),
    list: () => this.query('downloads.list', () => [...this.downloadRows.values()].reverse()),
    running: () =>
      this.query('downloads.running', () => [...this.downloadRows.values()].filter(({ state }) => state === 'running')),
    progress: (id: string, receivedBytes: number, totalBytes: number | null) =>
      this.query('downloads.progress', () => this.changeDownload(id, { receivedBytes, totalBytes })),
    end: (id: string, { at, ...end }: DownloadEnd) =>
      this.query('downloads.end', () => this.changeDownload(id, { ...end, finishedAt: at })),
  };

  ping(): Promise<void> {
    return this.query('ping', () => undefined);
  }

  addAccount(name: string, role: Account['role'], createdAt = 0): Account {
    const account: Account = { id: `id-of-${name}`, name, role, passwordHash: null, disabled: false, createdAt };
    this.accountRows.set(account.id, account);
    return account;
  }

  addTask(fields: Partial<TaskRecord> & Pick<TaskRecord, 'id' | 'accountId'>): TaskRecord {
    const record: TaskRecord = {
      operation: 'chat',
      state: 'running',
      reason: null,
      sentence: null,
      owner: { kind: 'account', id: fields.accountId },
      model: 'm1',
      plan: [{ modelId: 'm1', pluginId: 'p1', dropped: null }],
      servedBy: null,
      priority: 'standard',
      stream: false,
      background: false,
      requestId: 'req_1',
      acceptedAt: 1_000,
      deadlineAt: 286_000,
      startedAt: 1_100,
      finishedAt: null,
      updatedAt: 1_100,
      incarnation: 'one',
      takeovers: 0,
      cancelRequested: null,
      given: false,
      badLines: 0,
      usage: null,
      firstTokenMs: null,
      queueMs: 100,
      ...fields,
    };
    this.taskRows.set(record.id, record);
    return record;
  }

  /** The parts above are all that the API uses. */
  asStore(): Store {
    return this as unknown as Store;
  }

  private changeDownload(id: string, change: Partial<DownloadRow>): boolean {
    const row = this.downloadRows.get(id);
    if (row?.state !== 'running') return false;
    return Boolean(this.downloadRows.set(id, { ...row, ...change }));
  }

  private accountNamed(name: string): Account | null {
    return [...this.accountRows.values()].find((account) => account.name === name) ?? null;
  }

  private revokeKey(id: string, at: number): boolean {
    const key = this.keyRows.get(id);
    if (!key || key.revokedAt !== null) return false;
    this.keyRows.set(id, { ...key, revokedAt: at });
    return true;
  }

  private page({ state, ownerId, accountId, model, limit, cursor }: TaskFilter): Page<TaskRecord> {
    const rows = [...this.taskRows.values()]
      .filter((row) => state === undefined || row.state === state)
      .filter((row) => ownerId === undefined || row.owner.id === ownerId)
      .filter((row) => accountId === undefined || row.accountId === accountId)
      .filter((row) => model === undefined || row.model === model);
    const from = Number(cursor ?? 0);
    const next = from + limit < rows.length ? String(from + limit) : null;
    return { data: rows.slice(from, from + limit), nextCursor: next };
  }
}

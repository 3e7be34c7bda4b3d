/** The embedded server's command line. Every flag beyond the obvious was measured: see docs/architecture.md. */
export interface ServerPorts {
  readonly grpc: number;
  readonly ui: number;
  readonly metrics: number;
  readonly http: number;
}

/** Loopback only: the console and the metrics have no authentication. */
export const LOOPBACK = '127.0.0.1';

const SQLITE = {
  journal_mode: 'WAL',
  // The ledger is the truth, so Temporal's own file need not survive a power cut.
  synchronous: 'NORMAL',
  busy_timeout: 5000,
};

const DYNAMIC_CONFIG = {
  // The default of 20 polls a second costs 50 ms a hop on one shard.
  'history.transferProcessorMaxPollRPS': 500,
  'history.timerProcessorMaxPollRPS': 500,
  // Server timers fire up to 1 s late without it; retry delays ride on them.
  'history.timerProcessorMaxTimeShift': '50ms',
  // Four partitions on one host only add outliers of 2 s.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'system.enableActivityEagerExecution': true,
  'system.forceSearchAttributesCacheRefreshOnRead': false,
  // Bursts of thousands of requests arrive at one namespace of one host.
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'frontend.namespaceCount': 20_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
};

export function serverArguments(server: { ports: ServerPorts; namespace: string; database: string }): string[] {
  const { ports, namespace, database } = server;
  return [
    ...['server', 'start-dev', '--ip', LOOPBACK, '--port', String(ports.grpc), '--ui-port', String(ports.ui)],
    ...['--metrics-port', String(ports.metrics), '--http-port', String(ports.http)],
    ...['--db-filename', database, '--namespace', namespace],
    ...['--log-level', 'warn', '--log-format', 'json', '--color', 'never'],
    // The user's own CLI profile must not redirect this server.
    ...['--disable-config-file', '--disable-config-env'],
    ...Object.entries(SQLITE).flatMap(([name, value]) => ['--sqlite-pragma', `${name}=${value}`]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

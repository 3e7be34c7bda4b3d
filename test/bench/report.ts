import { arch, availableParallelism, platform, release, totalmem } from 'node:os';
import type { ScenarioResult } from './scenarios';
import { ratio } from './statistics';

export interface Memory {
  readonly contestant: string;
  readonly idleMiB: number | null;
  readonly afterLoadMiB: number | null;
}

export interface Report {
  readonly machine: {
    readonly cores: number;
    readonly memoryMiB: number;
    readonly system: string;
    readonly node: string;
  };
  readonly base: string;
  readonly scenarios: readonly ScenarioResult[];
  readonly memory: readonly Memory[];
}

export const machine = (): Report['machine'] => ({
  cores: availableParallelism(),
  memoryMiB: Math.round(totalmem() / 1024 / 1024),
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
});

const number = (value: number | null, digits: number): string => (value === null ? '-' : value.toFixed(digits));

export function asTable(report: Report): string {
  const { cores, memoryMiB, system, node } = report.machine;
  const parts = [
    `${cores} cores, ${memoryMiB} MiB, ${system}, Node ${node}. Times in ms; ÷ is against ${report.base}, same run.`,
  ];
  for (const scenario of report.scenarios)
    parts.push('', scenario.scenario, align(scenarioRows(scenario, report.base)));
  const memory = report.memory.map((row) => [row.contestant, number(row.idleMiB, 0), number(row.afterLoadMiB, 0)]);
  parts.push('', 'resident memory of the one process, MiB', align([['', 'idle', 'after load'], ...memory]));
  return parts.join('\n');
}

function scenarioRows(scenario: ScenarioResult, baseName: string): string[][] {
  const base = scenario.rows.find((row) => row.contestant === baseName)?.figures;
  const head = [
    '',
    'p50',
    'p95',
    'p99',
    'req/s',
    'p50 ÷',
    'req/s ÷',
    ...(scenario.stream ? ['TTFT p50', 'TTFT p95', 'TTFT ÷'] : []),
    'n',
    'errors',
  ];
  const rows = scenario.rows.map(({ contestant, figures }) => [
    contestant,
    number(figures.p50, 1),
    number(figures.p95, 1),
    number(figures.p99, 1),
    number(figures.perSecond, 1),
    number(ratio(figures.p50, base?.p50 ?? null), 2),
    number(ratio(figures.perSecond, base?.perSecond ?? null), 2),
    ...(scenario.stream
      ? [
          number(figures.firstContentP50, 1),
          number(figures.firstContentP95, 1),
          number(ratio(figures.firstContentP50, base?.firstContentP50 ?? null), 2),
        ]
      : []),
    String(figures.requests),
    String(figures.errors),
  ]);
  return [head, ...rows];
}

/** First column left, the rest right. */
function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}

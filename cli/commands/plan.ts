/** `soai plan`: how a workload would fare, without running it (capacity planning). */
import { Option } from 'commander';
import type { PlanReport } from '../../api/contract/offline';
import { examples, type Register } from '../command';
import { runOffline } from '../offline';
import type { Column } from '../output/table';
import { table } from '../output/table';
import { duration } from '../output/time';

/** Flags as the command on the data directory takes them. */
const FLAGS = [
  'file',
  'rate',
  'service',
  'distribution',
  'spread',
  'priority',
  'owners',
  'limit',
  'plugin',
  'capacity',
  'ownerLimit',
  'minutes',
  'seed',
] as const;

type Flags = Partial<Record<(typeof FLAGS)[number], string>>;

export const registerPlan: Register = (program, bind) => {
  const plan = program
    .command('plan')
    .description('Tell how long a workload would wait and which limit binds')
    .option('--rate <n>', 'requests per second')
    .option('--service <seconds>', 'mean time of a call')
    .addOption(new Option('--distribution <name>', 'of the call times').choices(['exponential', 'fixed', 'lognormal']))
    .option('--spread <n>', 'of lognormal: standard deviation by mean')
    .addOption(new Option('--priority <class>', 'of the requests').choices(['high', 'standard', 'flex']))
    .option('--owners <n>', 'so many owners send them')
    .option('--limit <n>', "the plugin's MAX_CONCURRENT_TASKS")
    .option('--plugin <id>', 'one of the settings, instead of --limit')
    .option('--capacity <n>', 'QUEUE_CAPACITY')
    .option('--owner-limit <n>', 'MAX_RUNNING_TASKS_PER_OWNER')
    .option('--minutes <n>', 'time to live through (default 60)')
    .option('--seed <n>', 'another draw of the same workload')
    .option('--file <file>', 'workload of several kinds of requests, YAML')
    .addHelpText('after', '\nNothing is sent or changed. docs/capacity-planning.md explains the figures.')
    .action(
      bind(async (context, flags: Flags) => {
        const words = FLAGS.flatMap((name) => (flags[name] === undefined ? [] : [`--${dashed(name)}`, flags[name]]));
        const report = (await runOffline(context, ['plan', 'run', ...words])) as PlanReport;
        context.print.record(report, summary(report), tables(report));
      }),
    );
  examples(plan, 'soai plan --rate 2 --service 3 --limit 8', 'soai plan --rate 2 --service 3 --limit 8 -o json');
};

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function summary(report: PlanReport): [string, string][] {
  const { binding_limit: binding, fairness, queue_full_share: full } = report;
  const where = binding?.plugin == null ? '' : ` of ${binding.plugin}`;
  return [
    ['Planned', `${report.minutes} min, seed ${report.seed}`],
    [
      'Limit that binds',
      binding === null ? 'none: nothing waited' : `${binding.setting}${where}, ${percent(binding.share)} of the time`,
    ],
    ['Queue full', `${percent(full)} of the time`],
    ...(fairness === null ? [] : ([['Fairness', `${fairness} (Jain, 1 = all owners alike)`]] as [string, string][])),
  ];
}

type Stream = PlanReport['streams'][number];
type Plugin = PlanReport['plugins'][number];

const wait = (of: 'p50' | 'p95' | 'p99') => (row: Stream) => duration(row.wait_ms?.[of] ?? null);

const STREAMS: readonly Column<Stream>[] = [
  { title: 'REQUESTS', value: ({ name }) => name },
  { title: 'CAME', value: ({ requests }) => String(requests), right: true },
  { title: 'STARTED', value: ({ started }) => String(started), right: true },
  { title: 'WAIT P50', value: wait('p50'), right: true },
  { title: 'P95', value: wait('p95'), right: true },
  { title: 'P99', value: wait('p99'), right: true },
  { title: 'QUEUE FULL', value: ({ refused }) => String(refused.queue_full), right: true },
  { title: 'CAPACITY', value: ({ refused }) => String(refused.capacity_exceeded), right: true },
  { title: 'DEADLINE', value: ({ refused }) => String(refused.deadline_exceeded), right: true },
];

const PLUGINS: readonly Column<Plugin>[] = [
  { title: 'PLUGIN', value: ({ id }) => id },
  { title: 'USED', value: ({ utilisation }) => percent(utilisation), right: true },
  { title: 'OFFERED', value: ({ offered }) => offered.toFixed(2), right: true },
  { title: 'LIMIT', value: ({ max_concurrent_tasks: limit }) => String(limit), right: true },
  { title: 'MODEL LOADS', value: ({ model_loads: loads }) => String(loads), right: true },
];

function tables({ streams, plugins }: PlanReport): string {
  return `\n${table(streams, STREAMS, null)}\n${table(plugins, PLUGINS, null)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

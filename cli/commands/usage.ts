/** `soai usage`. */
import type { List } from '../../api/contract/management';
import type { UsageGroup, UsageSums } from '../../api/contract/usage';
import { examples, type Register } from '../command';
import type { Column } from '../output/table';
import { duration } from '../output/time';

interface UsageOptions {
  readonly by: string;
  readonly from?: string;
  readonly to?: string;
  readonly model?: string;
  readonly plugin?: string;
  readonly owner?: string;
}

export const registerUsage: Register = (program, bind) => {
  const usage = program
    .command('usage')
    .description('Show requests, tokens and times of ended tasks, added up')
    .option('--by <groups>', 'day, model, served_model, plugin, owner, account', 'day')
    .option('--from <day>', 'first UTC day, YYYY-MM-DD (default: 30 days ago)')
    .option('--to <day>', 'last UTC day (default: today)')
    .option('--model <name>', 'only requests for this model')
    .option('--plugin <id>', 'only what this plugin served')
    .option('--owner <id>', 'only of this account, key or automation')
    .action(
      bind(async ({ api, print }, options: UsageOptions) => {
        const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== undefined));
        const page = await api().get<List<UsageSums>>(`/api/v1/usage?${query}`);
        print.list(page, columnsOf(options.by));
      }),
    );
  examples(usage, 'soai usage', 'soai usage --by model,plugin --from 2026-01-01', 'soai usage --by owner -o json');
};

function columnsOf(by: string): readonly Column<UsageSums>[] {
  const groups = by.split(',').filter((word) => word !== '') as UsageGroup[];
  const number = (title: string, of: (sums: UsageSums) => number): Column<UsageSums> => ({
    title,
    value: (sums) => String(of(sums)),
    right: true,
  });
  return [
    ...groups.map((group): Column<UsageSums> => ({ title: group.toUpperCase(), value: (sums) => sums[group] ?? '-' })),
    number('REQUESTS', ({ requests }) => requests),
    number('FAILED', ({ failed }) => failed),
    number('TOKENS IN', ({ prompt_tokens: tokens }) => tokens),
    number('TOKENS OUT', ({ completion_tokens: tokens }) => tokens),
    { title: 'WAIT', value: ({ mean_queue_ms: ms }) => duration(ms), right: true },
    { title: 'TTFT', value: ({ mean_first_token_ms: ms }) => duration(ms), right: true },
    { title: 'TOK/S', value: ({ tokens_per_second: speed }) => (speed === null ? '-' : speed.toFixed(1)), right: true },
  ];
}

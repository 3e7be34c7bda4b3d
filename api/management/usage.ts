/** What was used, by day, model, plugin, owner. */
import { z } from 'zod';
import type { UsageSums } from '../../store/store';
import { permits } from '../auth/permissions';
import { usageGroup, usageSums, type UsageSums as UsageView } from '../contract/usage';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import type { AccountNames } from './account-names';
import { listOf, whole } from './lists';
import { type Route, route } from './route';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const LARGEST_ANSWER = 10_000;

const day = z.iso.date().meta({ description: 'UTC day, YYYY-MM-DD.' });

const usageQuery = z.strictObject({
  by: z
    .string()
    .max(64)
    .default('day')
    .meta({ description: `What to group by, separated by commas: ${usageGroup.options.join(', ')}.` }),
  from: day.optional().meta({ description: `First UTC day; ${DEFAULT_DAYS} days before \`to\` unless given.` }),
  to: day.optional().meta({ description: 'Last UTC day, included; today unless given.' }),
  model: z.string().min(1).max(512).optional(),
  plugin: z.string().min(1).max(128).optional(),
  owner: z.string().min(1).max(128).optional(),
});

export function usageRoutes({ store, now }: ApiDeps, names: AccountNames): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/usage',
      permission: 'USAGE_READ',
      summary: 'Requests, tokens and times of ended tasks, added up',
      description: `Administrators see everybody's, others their own account's. At most ${LARGEST_ANSWER} groups.`,
      query: usageQuery,
      response: listOf(usageSums),
      async handler({ identity, query }) {
        const to = query.to ?? dayOf(now());
        const from = query.from ?? dayOf(Date.parse(to) - DEFAULT_DAYS * DAY_MS);
        if (from > to)
          throw new AppError('invalid_value', { param: 'from', message: `'from' lies after 'to' (${to}).` });
        const sums = await store.usage.sums({
          by: groupsOf(query.by),
          from,
          to,
          accountId: permits(identity.account, 'ALL_ACCOUNTS') ? undefined : identity.account.id,
          ownerId: query.owner,
          model: query.model,
          plugin: query.plugin,
          limit: LARGEST_ANSWER,
        });
        return whole(await Promise.all(sums.map((each) => viewOf(each, names))));
      },
    }),
  ];
}

function groupsOf(text: string): z.infer<typeof usageGroup>[] {
  const groups = [...new Set(text.split(',').filter((word) => word !== ''))];
  return groups.map((word) => {
    const group = usageGroup.safeParse(word);
    if (group.success) return group.data;
    throw new AppError('invalid_value', {
      param: 'by',
      message: `'by' can't group by '${word.slice(0, 32)}'; it knows ${usageGroup.options.join(', ')}.`,
    });
  });
}

async function viewOf(sums: UsageSums, names: AccountNames): Promise<UsageView> {
  const { group } = sums;
  return {
    ...group,
    ...(group.served_model === undefined ? {} : { served_model: group.served_model || null }),
    ...(group.plugin === undefined ? {} : { plugin: group.plugin || null }),
    ...(group.account === undefined ? {} : { account: await names.of(group.account) }),
    requests: sums.requests,
    completed: sums.completed,
    failed: sums.failed,
    cancelled: sums.cancelled,
    attempts: sums.attempts,
    prompt_tokens: sums.promptTokens,
    completion_tokens: sums.completionTokens,
    cached_tokens: sums.cachedTokens,
    reasoning_tokens: sums.reasoningTokens,
    mean_queue_ms: mean(sums.queueMs, sums.queued),
    mean_first_token_ms: mean(sums.firstTokenMs, sums.firstTokens),
    tokens_per_second: sums.outputMs > 0 ? (sums.outputTokens * 1_000) / sums.outputMs : null,
  };
}

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** `soai plan`: lives through a workload with the scheduler's own rules, on a clock of its own. */
import type { Settings } from '../../config/schema';
import { planOf } from '../../workflows/rules/plan/report';
import type { PlanReport } from '../contract/offline';
import { type PlanFlags, workloadOf } from './plan-workload';

export function plan(flags: PlanFlags, settings: Settings): PlanReport {
  const { input, minutes, seed } = workloadOf(flags, settings);
  const { streams, plugins, binding, queueFullShare, fairness } = planOf(input, seed);
  return {
    minutes,
    seed,
    streams: streams.map(({ name, requests, started, waitMs, refused }) => ({
      name,
      requests,
      started,
      wait_ms: waitMs && {
        mean: Math.round(waitMs.mean),
        p50: Math.round(waitMs.p50),
        p95: Math.round(waitMs.p95),
        p99: Math.round(waitMs.p99),
      },
      refused: {
        queue_full: refused.queueFull,
        capacity_exceeded: refused.capacityExceeded,
        deadline_exceeded: refused.deadlineExceeded,
      },
    })),
    plugins: plugins.map(({ plugin, utilisation, offered, limit, loads }) => ({
      id: plugin,
      utilisation: rounded(utilisation),
      offered: rounded(offered),
      max_concurrent_tasks: limit,
      model_loads: loads,
    })),
    binding_limit: binding && { setting: binding.limit, plugin: binding.plugin, share: rounded(binding.share) },
    queue_full_share: rounded(queueFullShare),
    fairness: fairness === null ? null : rounded(fairness),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

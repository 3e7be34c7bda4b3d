/** A task record as the management API and the live events show it. */
import type { Dispatcher } from '../../activities/dispatcher';
import type { Engine } from '../../activities/engine';
import type { AttemptRecord, TaskRecord, Usage } from '../../store/records';
import type { Target } from '../../workflows/contract';
import type { Attempt, Task, TaskDetail } from '../contract/management';
import type { AccountNames } from './account-names';

export class TaskViews {
  constructor(
    private readonly accountNames: AccountNames,
    private readonly dispatcher: Pick<Dispatcher, 'standing'>,
    private readonly engine: Pick<Engine, 'consoleUrl' | 'namespace'>,
  ) {}

  async task(record: TaskRecord): Promise<Task> {
    const standing = this.dispatcher.standing(record.id);
    return {
      id: record.id,
      operation: record.operation,
      state: record.state,
      reason: record.reason,
      message: record.sentence,
      owner: { kind: record.owner.kind, id: record.owner.id },
      account: await this.accountNames.of(record.accountId),
      model: record.model,
      served_by: record.servedBy && targetView(record.servedBy),
      priority: record.priority,
      stream: record.stream,
      background: record.background,
      request_id: record.requestId,
      accepted_at: record.acceptedAt,
      started_at: record.startedAt,
      finished_at: record.finishedAt,
      deadline_at: record.deadlineAt,
      takeovers: record.takeovers,
      bad_lines: record.badLines,
      usage: record.usage && usageView(record.usage),
      first_token_ms: record.firstTokenMs,
      tokens_per_second: tokensPerSecond(record),
      queue_ms: record.queueMs,
      queue_position: standing?.position ?? null,
      estimated_wait_ms: standing?.estimatedWaitMs ?? null,
      console_url: this.consoleUrl(record.id),
    };
  }

  async detail(record: TaskRecord, attempts: readonly AttemptRecord[]): Promise<TaskDetail> {
    return {
      ...(await this.task(record)),
      plan: record.plan.map((entry) => ({ ...targetView(entry), dropped: entry.dropped })),
      attempts: attempts.map(attemptView),
      workflow: { id: record.id, namespace: this.engine.namespace },
    };
  }

  private consoleUrl(taskId: string): string | null {
    const { consoleUrl, namespace } = this.engine;
    if (consoleUrl === null) return null;
    const base = consoleUrl.endsWith('/') ? consoleUrl.slice(0, -1) : consoleUrl;
    return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(taskId)}`;
  }
}

function targetView(target: Target): { model: string; plugin: string } {
  return { model: target.modelId, plugin: target.pluginId };
}

function attemptView(record: AttemptRecord): Attempt {
  return {
    number: record.number,
    ...targetView(record.target),
    started_at: record.startedAt,
    finished_at: record.finishedAt,
    outcome: record.outcome,
    code: record.code,
    http_status: record.httpStatus,
    message: record.sentence,
    retry_delay_ms: record.retryDelayMs,
  };
}

function tokensPerSecond({ usage, acceptedAt, firstTokenMs, finishedAt }: TaskRecord): number | null {
  if (firstTokenMs === null || finishedAt === null || usage?.completionTokens == null) return null;
  const ms = finishedAt - acceptedAt - firstTokenMs;
  return ms > 0 ? (usage.completionTokens * 1_000) / ms : null;
}

function usageView(usage: Usage): NonNullable<Task['usage']> {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    cached_tokens: usage.cachedTokens,
    reasoning_tokens: usage.reasoningTokens,
  };
}

/**
 * The long-running workflows of plugins: starts them, talks to them, and makes them again from the
 * tables when the engine has lost them (spec C6, E, F).
 */
import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { Logger } from 'pino';
import {
  BREAKER_WORKFLOW,
  CONTROL_TASK_QUEUE,
  GUARDIAN_WORKFLOW,
  REPORT_TO_BREAKER,
  TELL_GUARDIAN,
  breakerWorkflowId,
  guardianWorkflowId,
  nodeTaskQueue,
  type BreakerInput,
  type BreakerReport,
  type GuardianCommand,
  type GuardianInput,
  type WatchSettings,
} from '../../workflows/contract';
import type { BreakerSettings } from '../../workflows/rules/breaker';
import type { BreakerJournal, NumberedEvent } from '../../workflows/rules/breaker-journal';
import type { GuardianSettings, GuardianState } from '../../workflows/rules/guardian';

export interface EntitySettings {
  readonly breaker: BreakerSettings;
  readonly guardian: GuardianSettings;
  readonly watch: WatchSettings;
  readonly persistMs: number;
}

export interface EntityPlugin {
  readonly id: string;
  /** It runs on this host, so only this host's processes can watch it. */
  readonly local: boolean;
}

export interface EntitiesOptions {
  readonly client: () => Client | null;
  readonly settings: EntitySettings;
  readonly incarnation: string;
  readonly host: string;
  readonly plugins: () => readonly EntityPlugin[];
  /** What the workflows start from. */
  readonly journalOf: (pluginId: string) => BreakerJournal;
  readonly guardianStateOf: (pluginId: string) => GuardianState;
  readonly log: Logger;
}

/** E: past it the local decision stands. */
const ANSWER_MS = 1_000;
/** An operator waits for it. */
const TOLD_MS = 3_000;
const START_MS = 10_000;

type Conflict = 'USE_EXISTING' | 'TERMINATE_EXISTING';

class EngineAway extends Error {
  override readonly name = 'EngineAway';
}

export class Entities {
  constructor(private readonly options: EntitiesOptions) {}

  /**
   * Sees that every plugin has its workflows. `TERMINATE_EXISTING`: this process is the only one, so what
   * an earlier one left behind starts anew (E4). False: not all of them could be started. Never rejects.
   */
  async ensureAll(conflict: Conflict): Promise<boolean> {
    let all = true;
    for (const plugin of this.options.plugins()) all = (await this.ensure(plugin, conflict)) && all;
    return all;
  }

  async ensure(plugin: EntityPlugin, conflict: Conflict): Promise<boolean> {
    try {
      await this.start(BREAKER_WORKFLOW, breakerWorkflowId(plugin.id), this.breakerInput(plugin.id), conflict);
      await this.start(GUARDIAN_WORKFLOW, guardianWorkflowId(plugin.id), this.guardianInput(plugin), conflict);
      return true;
    } catch (error) {
      this.options.log.warn({ err: error, plugin: plugin.id }, 'the workflows of a plugin could not be started');
      return false;
    }
  }

  /** The plugin is gone, and so is what watched it. Never rejects. */
  async forget(pluginId: string): Promise<void> {
    const client = this.options.client();
    for (const id of [breakerWorkflowId(pluginId), guardianWorkflowId(pluginId)]) {
      // Not running is what is wanted.
      await client?.workflow
        .getHandle(id)
        .terminate('the plugin was removed')
        .catch(() => undefined);
    }
  }

  async report(pluginId: string, events: readonly NumberedEvent[]): Promise<BreakerJournal> {
    const report: BreakerReport = { source: this.options.incarnation, events };
    const operation = new WithStartWorkflowOperation(BREAKER_WORKFLOW, {
      workflowId: breakerWorkflowId(pluginId),
      taskQueue: CONTROL_TASK_QUEUE,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [this.breakerInput(pluginId)],
    });
    return this.answered(ANSWER_MS, (client) =>
      client.workflow.executeUpdateWithStart<Workflow, BreakerJournal, [BreakerReport]>(REPORT_TO_BREAKER, {
        args: [report],
        startWorkflowOperation: operation,
      }),
    );
  }

  async tellGuardian(plugin: EntityPlugin, command: GuardianCommand): Promise<GuardianState> {
    const operation = new WithStartWorkflowOperation(GUARDIAN_WORKFLOW, {
      workflowId: guardianWorkflowId(plugin.id),
      taskQueue: CONTROL_TASK_QUEUE,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [this.guardianInput(plugin)],
    });
    return this.answered(TOLD_MS, (client) =>
      client.workflow.executeUpdateWithStart<Workflow, GuardianState, [GuardianCommand]>(TELL_GUARDIAN, {
        args: [command],
        startWorkflowOperation: operation,
      }),
    );
  }

  private async answered<T>(withinMs: number, ask: (client: Client) => Promise<T>): Promise<T> {
    const client = this.options.client();
    if (!client) throw new EngineAway('the workflow engine is not available');
    return client.withDeadline(Date.now() + withinMs, () => ask(client));
  }

  private async start(
    type: string,
    workflowId: string,
    input: BreakerInput | GuardianInput,
    workflowIdConflictPolicy: Conflict,
  ): Promise<void> {
    const client = this.options.client();
    if (!client) throw new EngineAway('the workflow engine is not available');
    await client.withDeadline(Date.now() + START_MS, () =>
      client.workflow.start(type, {
        workflowId,
        taskQueue: CONTROL_TASK_QUEUE,
        workflowIdConflictPolicy,
        args: [input],
      }),
    );
  }

  private breakerInput(pluginId: string): BreakerInput {
    const { settings, journalOf } = this.options;
    return { pluginId, settings: settings.breaker, persistMs: settings.persistMs, journal: journalOf(pluginId) };
  }

  private guardianInput({ id, local }: EntityPlugin): GuardianInput {
    const { settings, guardianStateOf, host } = this.options;
    return {
      pluginId: id,
      taskQueue: local ? nodeTaskQueue(host) : CONTROL_TASK_QUEUE,
      settings: settings.guardian,
      watch: settings.watch,
      state: guardianStateOf(id),
    };
  }
}

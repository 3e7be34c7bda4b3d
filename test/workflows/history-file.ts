/** Histories as readable JSON, there and back. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;
export type WorkflowHistory = temporal.api.history.v1.IHistory;

export function historyToText(history: WorkflowHistory): string {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String });
  return `${JSON.stringify(plain, withoutPlace, 1)}\n`;
}

/** Where it was recorded is nobody's business: no paths of stack traces, no host names. */
function withoutPlace(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  return typeof value === 'string' && /^\d+@/.test(value) ? 'recorder' : value;
}

export function historyFromText(text: string): WorkflowHistory {
  return History.fromObject(JSON.parse(text) as Record<string, unknown>);
}

export const HISTORIES = path.join(__dirname, 'histories');

/** Set to write the histories of this run, once a workflow's version is final. */
const RECORD = process.env.RECORD_HISTORIES === '1';

export async function keepHistory(name: string, handle: WorkflowHandle): Promise<void> {
  if (RECORD) writeFileSync(path.join(HISTORIES, `${name}.json`), historyToText(await handle.fetchHistory()));
}

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Adapter, AdapterCall, AdapterReply, PluginPackage, StreamEvent } from '../../plugins/adapter';
import { checkSettings } from '../../plugins/manifest-settings';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown> | undefined;
}

/** An adapter as the host makes one: settings through the manifest, directories of its own. */
export function adapterOf(
  plugin: PluginPackage,
  settings: Record<string, unknown>,
  given: { dataDir?: string; cacheDir?: string; log?: LogLine[]; loads?: [string, number][] } = {},
): Adapter {
  const checked = checkSettings(plugin.manifest, settings);
  if (!checked.valid) throw new Error(JSON.stringify(checked.faults));
  return plugin.create({
    id: 'p1',
    settings: checked.settings,
    dataDir: given.dataDir ?? temporaryDirectory(),
    cacheDir: given.cacheDir ?? temporaryDirectory(),
    loaded: (model, loadMs) => given.loads?.push([model, loadMs]),
    log: (level, message, fields) => given.log?.push({ level, message, fields }),
  });
}

export function temporaryDirectory(): string {
  return mkdtempSync(path.join(tmpdir(), 'soai-plugins-'));
}

export function callOf(given: Partial<AdapterCall> = {}): AdapterCall {
  return {
    operation: 'chat',
    model: 'm',
    body: { model: 'alias', messages: [{ role: 'user', content: 'hi' }], ...(given.stream ? { stream: true } : {}) },
    stream: false,
    signal: new AbortController().signal,
    deadlines: { connectMs: 2000, firstByteMs: 5000, idleMs: 5000 },
    taskId: 't1',
    ...given,
  };
}

export function textOf(reply: AdapterReply): string {
  if (reply.kind !== 'json') throw new Error('expected a JSON reply');
  return reply.text;
}

export function eventsOf(reply: AdapterReply): AsyncIterable<StreamEvent> {
  if (reply.kind !== 'stream') throw new Error('expected a stream');
  return reply.events;
}

export async function collect(reply: AdapterReply): Promise<string[]> {
  const data: string[] = [];
  for await (const event of eventsOf(reply)) data.push(event.data);
  return data;
}

/** `soai model files|download|downloads|cancel-download|erase-file`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { List } from '../../api/contract/management';
import type { Download, FileRemoval, ModelFile } from '../../api/contract/model-files';
import type { ApiClient } from '../api-client';
import { examples, type Bind } from '../command';
import { confirm } from '../confirm';
import type { Context } from '../context';
import { CliError, EXIT } from '../exit-code';
import type { Column } from '../output/table';
import { instant } from '../output/time';
import { orDash } from './words';

const LOOK_EVERY_MS = 1_000;

export function registerModelFiles(parent: Command, bind: Bind): void {
  files(parent, bind);
  download(parent, bind);
  downloads(parent, bind);
  cancel(parent, bind);
  remove(parent, bind);
}

const filesOf = (plugin: string): string => `/api/v1/plugins/${encodeURIComponent(plugin)}/files`;
const downloadPath = (id: string): string => `/api/v1/downloads/${encodeURIComponent(id)}`;

function files(parent: Command, bind: Bind): void {
  const command = parent
    .command('files')
    .description('Show the model files of a plugin of this host')
    .argument('<plugin>', 'plugin id')
    .action(
      bind(async ({ api, print }, plugin: string) => {
        print.list(await api().get<List<ModelFile>>(filesOf(plugin)), FILE_COLUMNS);
      }),
    );
  examples(command, 'soai model files local');
}

interface DownloadOptions {
  readonly file?: string;
  readonly sha256?: string;
  readonly detach?: boolean;
}

function download(parent: Command, bind: Bind): void {
  const command = parent
    .command('download')
    .description('Let the server download a model file, and follow it to its end')
    .argument('<plugin>', 'plugin that is to serve it')
    .argument('[url]', "http or https; the plugin's own small model unless given")
    .option('--file <name>', "its name there; the URL's unless given")
    .option('--sha256 <hex>', 'digest that it must have')
    .option('--detach', 'only start it')
    .action(
      bind(async (context, plugin: string, url: string | undefined, { file, sha256, detach }: DownloadOptions) => {
        const api = context.api();
        const body = { url, file, sha256 };
        const started = await api.post<Download>(`${filesOf(plugin)}/download`, body);
        if (detach) return context.print.record(started, downloadFields(started));
        const ended = await follow(context, api, started);
        context.print.record(ended, downloadFields(ended));
        return ended.state === 'completed' ? EXIT.ok : EXIT.failed;
      }),
    );
  examples(command, 'soai model download local https://models.example/m.gguf --detach', 'soai model download local');
}

/** Ctrl-C ends the looking, not the download. */
async function follow({ terminal, print }: Context, api: ApiClient, started: Download): Promise<Download> {
  const interrupted = new AbortController();
  const forget = terminal.onInterrupt(() => interrupted.abort());
  let latest = started;
  let said = '';
  try {
    while (latest.state === 'running') {
      const line = progressOf(latest);
      if (line !== said) print.say(`${latest.file}: ${line}`);
      said = line;
      await delay(LOOK_EVERY_MS, undefined, { signal: interrupted.signal });
      latest = await api.get<Download>(downloadPath(started.id));
    }
    return latest;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    const hint = `Look at it with: soai model downloads. End it with: soai model cancel-download ${started.id}`;
    throw new CliError(EXIT.interrupted, 'interrupted', 'The download goes on at the server.', hint);
  } finally {
    forget();
  }
}

function downloads(parent: Command, bind: Bind): void {
  const command = parent
    .command('downloads')
    .description('Show the newest downloads with their progress')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<Download>>('/api/v1/downloads'), DOWNLOAD_COLUMNS);
      }),
    );
  examples(command, 'soai model downloads');
}

function cancel(parent: Command, bind: Bind): void {
  const command = parent
    .command('cancel-download')
    .description('End a download and drop what it has brought')
    .argument('<id>', 'id from: soai model downloads')
    .action(
      bind(async ({ api, print }, id: string) => {
        const ended = await api().post<Download>(`${downloadPath(id)}/cancel`);
        print.record(ended, downloadFields(ended));
      }),
    );
  examples(command, 'soai model cancel-download download_0b5e1f');
}

interface RemoveOptions {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

function remove(parent: Command, bind: Bind): void {
  const command = parent
    .command('erase-file')
    .description('Delete a model file')
    .argument('<plugin>', 'plugin id')
    .argument('<file>', 'name from: soai model files')
    .option('--yes', 'do not ask')
    .option('--force', 'also when models are served from it; they are disabled')
    .option('--dry-run', 'only tell what would happen')
    .action(
      bind(async (context, plugin: string, file: string, { yes, force, dryRun }: RemoveOptions) => {
        const api = context.api();
        const path = `${filesOf(plugin)}/${encodeURIComponent(file)}`;
        const preview = await api.delete<FileRemoval>(`${path}?dry_run=true`);
        const told = effects(preview).filter(([, names]) => names !== '-');
        const question = `Delete the file "${file}" of ${plugin}? ${told.map(([what, names]) => `${what}: ${names}.`).join(' ')}`;
        if (!dryRun && !yes && !(await confirm(context, question.trim()))) {
          throw new CliError(EXIT.refused, 'not_confirmed', 'Nothing was deleted.');
        }
        const done = dryRun ? preview : await api.delete<FileRemoval>(force ? `${path}?force=true` : path);
        context.print.record(done, [[dryRun ? 'Would delete' : 'Deleted', done?.removed ?? file], ...effects(done)]);
      }),
    );
  examples(command, 'soai model erase-file local m.gguf --dry-run');
}

function effects(removal: FileRemoval | null): [string, string][] {
  if (!removal) return [];
  return [
    ['Disabled models', orDash(removal.disabled_models)],
    ['Still named by', orDash(removal.still_named_by)],
    ['Members of', orDash(removal.virtual_models)],
  ];
}

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function progressOf({ received_bytes: received, total_bytes: total }: Download): string {
  if (total === null) return mib(received);
  return `${mib(received)} of ${mib(total)}, ${Math.floor((100 * received) / Math.max(1, total))} %`;
}

function downloadFields(found: Download): [string, string][] {
  return [
    ['Download', found.id],
    ['Plugin', found.plugin],
    ['File', found.file],
    ['State', found.state],
    ['Progress', progressOf(found)],
    ...(found.message === null ? [] : [['Why', found.message] satisfies [string, string]]),
  ];
}

const FILE_COLUMNS: readonly Column<ModelFile>[] = [
  { title: 'FILE', value: ({ name }) => name },
  { title: 'SIZE', value: ({ size_bytes: bytes }) => mib(bytes), right: true },
  { title: 'ARCHITECTURE', value: ({ architecture }) => architecture ?? '-' },
  { title: 'QUANTISATION', value: ({ quantisation }) => quantisation ?? '-' },
  { title: 'CONTEXT', value: ({ context_tokens: tokens }) => String(tokens ?? '-'), right: true },
  { title: 'MODELS', value: ({ models }) => models.join(',') || '-', cut: true },
  { title: 'FAULT', value: ({ fault }) => fault ?? '-', cut: true },
];

const DOWNLOAD_COLUMNS: readonly Column<Download>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'FILE', value: ({ file }) => file, cut: true },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'PROGRESS', value: progressOf },
  { title: 'STARTED', value: ({ created_at: at }) => instant(at) },
  { title: 'WHY', value: ({ message }) => message ?? '-', cut: true },
];

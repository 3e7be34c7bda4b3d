/** Looking at, fetching and removing the model files of a plugin. */
import { publicPart } from '../../activities/public-url';
import type { CatalogueModel } from '../../activities/catalogue';
import type { HostedPlugin } from '../../activities/hosted-plugin';
import type { ModelFiles as Directory } from '../../plugins/adapter';
import type { DownloadRow } from '../../store/records';
import type { Download, FileRemoval, ModelFile, StartDownload } from '../contract/model-files';
import { AppError } from '../errors/app-error';
import type { ModelDeps } from './model-deps';

export class ModelFiles {
  constructor(private readonly deps: ModelDeps) {}

  async list(pluginId: string | undefined): Promise<ModelFile[]> {
    const { plugin, files } = this.directory(pluginId);
    return (await files.list()).map((file) => ({
      name: file.name,
      size_bytes: file.sizeBytes,
      modified_at: file.modifiedAt,
      fault: file.fault,
      architecture: file.architecture,
      quantisation: file.quantisation,
      parameters: file.parameters,
      context_tokens: file.contextTokens,
      has_chat_template: file.hasChatTemplate,
      models: this.servedFrom(plugin.id, file.name).map(({ id }) => id),
    }));
  }

  async download(pluginId: string | undefined, body: StartDownload, by: string): Promise<Download> {
    const { plugin, files } = this.directory(pluginId);
    const url = body.url ?? null;
    const fileName = url === null ? files.ownModel : (body.file ?? nameIn(url));
    if (fileName === null) {
      throw new AppError('missing_required_parameter', { param: 'url', message: '"url" is required.' });
    }
    if (!files.isName(fileName)) throw badName(fileName, body.file === undefined ? 'url' : 'file');
    const request = { pluginId: plugin.id, fileName, url, sha256: body.sha256 ?? null };
    const outcome = await this.deps.downloads.start(request, files);
    if (outcome.kind === 'file_exists') {
      throw new AppError('file_exists', { message: `The plugin '${plugin.id}' has a file '${fileName}' already.` });
    }
    if (outcome.kind === 'running') {
      throw new AppError('file_exists', {
        message: `'${fileName}' is being downloaded already, as ${outcome.row.id}.`,
      });
    }
    this.deps.log.info({ download: outcome.row.id, plugin: plugin.id, file: fileName, by }, 'download started');
    return downloadView(outcome.row);
  }

  /** What removing it means for the models served from it. */
  async removal(pluginId: string | undefined, name: string | undefined): Promise<Omit<FileRemoval, 'dry_run'>> {
    const { plugin, files } = this.directory(pluginId);
    const present = await files.list();
    const file = present.find((each) => each.name === name);
    if (!file) throw new AppError('file_not_found');
    const models = this.servedFrom(plugin.id, file.name);
    const ids = new Set(models.map(({ id }) => id));
    const users = this.deps.catalogue.virtuals().filter(({ members }) => members.some((id) => ids.has(id)));
    return {
      removed: file.name,
      disabled_models: models.filter(({ origin }) => origin === 'database').map(({ id }) => id),
      still_named_by: models.filter(({ origin }) => origin === 'config').map(({ id }) => id),
      virtual_models: users.map((virtual) => virtual.name),
    };
  }

  /** Models served from it are disabled first, so that no request meets a file that is gone. */
  async remove(
    pluginId: string | undefined,
    name: string | undefined,
    force: boolean,
    by: string,
  ): Promise<Omit<FileRemoval, 'dry_run'>> {
    const removal = await this.removal(pluginId, name);
    const models = [...removal.disabled_models, ...removal.still_named_by];
    if (models.length > 0 && !force) throw inUse(removal, models);
    const { plugin, files } = this.directory(pluginId);
    const { catalogue, store, log } = this.deps;
    for (const { origin, ...model } of this.servedFrom(plugin.id, removal.removed)) {
      if (origin === 'database') await store.changeModel({ ...model, enabled: false });
    }
    await catalogue.refresh();
    if (!(await files.remove(removal.removed))) throw new AppError('file_not_found');
    log.info({ plugin: plugin.id, ...removal, by }, 'model file removed');
    return removal;
  }

  private directory(id: string | undefined): { readonly plugin: HostedPlugin; readonly files: Directory } {
    const plugin = id === undefined ? undefined : this.deps.plugins.get(id);
    if (!plugin) throw new AppError('plugin_not_found');
    const files = plugin.adapter?.files;
    if (!files) {
      throw new AppError('plugin_has_no_files', { message: `The plugin '${plugin.id}' keeps no model files here.` });
    }
    return { plugin, files };
  }

  private servedFrom(pluginId: string, file: string): readonly CatalogueModel[] {
    return this.deps.catalogue.all().filter((model) => model.pluginId === pluginId && model.upstreamModel === file);
  }
}

export function downloadView(row: DownloadRow): Download {
  return {
    id: row.id,
    plugin: row.pluginId,
    file: row.fileName,
    url: row.url === null ? null : publicPart(row.url),
    state: row.state,
    received_bytes: row.receivedBytes,
    total_bytes: row.totalBytes,
    reason: row.reason,
    message: row.sentence,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
  };
}

function nameIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError('invalid_value', { param: 'url', message: '"url" must be an http or https URL.' });
  }
  try {
    return decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
  } catch {
    return '';
  }
}

function badName(name: string, param: string): AppError {
  const message = `${JSON.stringify(name.slice(0, 200))} is no name of a .gguf file; give one as "file".`;
  return new AppError('invalid_value', { param, message });
}

function inUse({ removed, virtual_models: virtuals }: Omit<FileRemoval, 'dry_run'>, models: string[]): AppError {
  const names = (list: readonly string[]): string => list.map((each) => `'${each}'`).join(', ');
  const through = virtuals.length > 0 ? ` They are members of ${names(virtuals)}.` : '';
  return new AppError('file_in_use', {
    message: `The file '${removed}' serves ${names(models)}.${through}`,
    faults: models.map((each) => ({ subject: each, code: 'served_from', message: `'${each}' is served from it.` })),
  });
}

/** `soai model add|edit|enable|disable|remove`. */
import type { Command } from 'commander';
import type { Model, ModelRemoval } from '../../api/contract/models';
import { examples, type Bind } from '../command';
import { confirm } from '../confirm';
import { CliError, EXIT } from '../exit-code';
import { modelFields } from './fields';
import { listed, orDash, pathTo } from './words';

export function registerModelChanges(parent: Command, bind: Bind): void {
  add(parent, bind);
  edit(parent, bind);
  toggle(parent, bind, 'enable', 'Make a model available');
  toggle(parent, bind, 'disable', 'Hide a model and refuse requests for it');
  remove(parent, bind);
}

interface Abilities {
  readonly upstream?: string;
  readonly aliases?: string;
  readonly capabilities?: string;
  readonly modalities?: string;
  readonly context?: string;
}

function withAbilities(command: Command): Command {
  return command
    .option('--upstream <name>', "the model's name at the backend")
    .option('--aliases <names>', 'further names, separated by commas')
    .option('--capabilities <words>', 'chat,completions,embeddings,responses,tools,\njson_schema,reasoning')
    .option('--modalities <words>', 'text,image,audio,file')
    .option('--context <tokens>', 'longest prompt and answer together, or unknown');
}

function bodyOf({ upstream, aliases, capabilities, modalities, context }: Abilities): Record<string, unknown> {
  return {
    ...(upstream === undefined ? {} : { upstream_model: upstream }),
    ...(aliases === undefined ? {} : { aliases: listed(aliases) }),
    ...(capabilities === undefined ? {} : { capabilities: listed(capabilities) }),
    ...(modalities === undefined ? {} : { modalities: listed(modalities) }),
    ...(context === undefined ? {} : { context_tokens: tokens(context) }),
  };
}

function tokens(text: string): number | null {
  if (text === 'unknown') return null;
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, 'bad_context', `--context must be a number of tokens or "unknown", not "${text}".`);
}

function add(parent: Command, bind: Bind): void {
  const command = withAbilities(
    parent
      .command('add')
      .description('Add a model that a plugin serves')
      .argument('<id>', 'name that clients send')
      .requiredOption('--plugin <id>', 'plugin that serves it'),
  )
    .option('--disabled', 'add it without making it available')
    .action(
      bind(async ({ api, print }, id: string, options: Abilities & { plugin: string; disabled?: boolean }) => {
        const body = { id, plugin: options.plugin, enabled: options.disabled !== true, ...bodyOf(options) };
        const added = await api().post<Model>('/api/v1/models', body);
        print.record(added, modelFields(added));
      }),
    );
  examples(command, 'soai model add m3 --plugin up1 --upstream fake --capabilities chat,tools');
}

function edit(parent: Command, bind: Bind): void {
  const command = withAbilities(
    parent.command('edit').description('Change what is given of a model').argument('<id>', 'id or alias'),
  ).action(
    bind(async ({ api, print }, id: string, options: Abilities) => {
      const body = bodyOf(options);
      if (Object.keys(body).length === 0) {
        throw new CliError(EXIT.usage, 'nothing_to_change', 'Give at least one option that says what to change.');
      }
      const changed = await api().patch<Model>(pathTo('models', id), body);
      print.record(changed, modelFields(changed));
    }),
  );
  examples(command, 'soai model edit m3 --aliases fast,cheap --context 8192', 'soai model edit m3 --aliases ""');
}

function toggle(parent: Command, bind: Bind, verb: 'enable' | 'disable', description: string): void {
  const command = parent
    .command(verb)
    .description(description)
    .argument('<id>', 'id or alias')
    .action(
      bind(async ({ api, print }, id: string) => {
        const changed = await api().patch<Model>(pathTo('models', id), { enabled: verb === 'enable' });
        print.record(changed, modelFields(changed));
      }),
    );
  examples(command, `soai model ${verb} m3`);
}

interface RemoveOptions {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

function remove(parent: Command, bind: Bind): void {
  const command = parent
    .command('remove')
    .description('Remove a model from the catalogue; files and backends stay')
    .argument('<id>', 'id or alias')
    .option('--yes', 'do not ask')
    .option('--force', 'also when virtual models have it as a member')
    .option('--dry-run', 'only tell what would happen')
    .action(
      bind(async (context, id: string, { yes, force, dryRun }: RemoveOptions) => {
        const api = context.api();
        const path = pathTo('models', id);
        const preview = await api.delete<ModelRemoval>(`${path}?dry_run=true`);
        if (!dryRun && !yes && !(await confirm(context, question(preview, id)))) {
          throw new CliError(EXIT.refused, 'not_confirmed', 'Nothing was removed.');
        }
        const done = dryRun ? preview : await api.delete<ModelRemoval>(force ? `${path}?force=true` : path);
        context.print.record(done, [[dryRun ? 'Would remove' : 'Removed', done?.removed ?? id], ...effects(done)]);
      }),
    );
  examples(command, 'soai model remove m3 --dry-run', 'soai model remove m3 --force --yes');
}

function effects(removal: ModelRemoval | null): [string, string][] {
  if (!removal) return [];
  return [
    ['Taken out of', orDash(removal.taken_out_of)],
    ['Disabled', orDash(removal.disabled)],
    ['Still named by', orDash(removal.still_named_by)],
  ];
}

function question(preview: ModelRemoval | null, id: string): string {
  const told = effects(preview).filter(([, names]) => names !== '-');
  const consequences = told.map(([what, names]) => `${what}: ${names}.`).join(' ');
  return `Remove the model "${preview?.removed ?? id}"? Requests for it are refused from then on. ${consequences}`.trim();
}

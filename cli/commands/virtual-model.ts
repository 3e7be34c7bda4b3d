/** `soai virtual-model`: one stable name over several models (spec D8). */
import { Argument, Option, type Command } from 'commander';
import type { List } from '../../api/contract/management';
import type { VirtualModel, VirtualModelRemoval } from '../../api/contract/models';
import { examples, type Bind, type Register } from '../command';
import { confirm } from '../confirm';
import { CliError, EXIT } from '../exit-code';
import { orDash, pathTo } from '../models/words';
import type { Column } from '../output/table';
import { instant } from '../output/time';

const STRATEGIES = ['failover', 'load_balancing'];

export const registerVirtualModel: Register = (program, bind) => {
  const parent = program.command('virtual-model').description('One stable name over several models');
  examples(parent, 'soai virtual-model create team m1 m2 --strategy failover');
  list(parent, bind);
  show(parent, bind);
  create(parent, bind);
  edit(parent, bind);
  toggle(parent, bind, 'enable', 'Take it into use again');
  toggle(parent, bind, 'disable', 'Take it out of use; its members go on');
  remove(parent, bind);
};

function list(parent: Command, bind: Bind): void {
  const command = parent
    .command('list')
    .description('Show virtual models, disabled ones too')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<VirtualModel>>('/api/v1/virtual-models'), COLUMNS);
      }),
    );
  examples(command, 'soai virtual-model list', 'soai virtual-model list --output json');
}

function show(parent: Command, bind: Bind): void {
  const command = parent
    .command('show')
    .description('Show one with each member as it stands now, and why it is left out')
    .argument('<name>', 'name of the virtual model')
    .action(
      bind(async ({ api, print }, name: string) => {
        const found = await api().get<VirtualModel>(pathTo('virtual-models', name));
        print.record(found, fieldsOf(found));
      }),
    );
  examples(command, 'soai virtual-model show team');
}

const strategyOption = (text: string): Option => new Option('--strategy <strategy>', text).choices(STRATEGIES);

function create(parent: Command, bind: Bind): void {
  const command = parent
    .command('create')
    .description('Create one; every rejected member is named with its reason')
    .argument('<name>', 'letters, digits, spaces and / _ . - ; fixed once created')
    .argument('<members...>', 'ids of at least two models, for failover in order')
    .addOption(strategyOption('how a member is chosen').default('failover'))
    .option('--disabled', 'keep it out of use for now')
    .action(
      bind(async ({ api, print }, name: string, members: string[], options: CreateOptions) => {
        const body = { name, strategy: options.strategy, members, enabled: options.disabled !== true };
        const made = await api().post<VirtualModel>('/api/v1/virtual-models', body);
        print.record(made, fieldsOf(made));
      }),
    );
  examples(
    command,
    'soai virtual-model create team m1 m2',
    'soai virtual-model create pool m1 m2 m3 --strategy load_balancing',
  );
}

interface CreateOptions {
  readonly strategy: string;
  readonly disabled?: boolean;
}

function edit(parent: Command, bind: Bind): void {
  const command = parent
    .command('edit')
    .description('Change the strategy, the members, or both; the name is fixed')
    .argument('<name>', 'name of the virtual model')
    .addArgument(new Argument('[members...]', 'the members from now on, all of them'))
    .addOption(strategyOption('how a member is chosen from now on'))
    .action(
      bind(async ({ api, print }, name: string, members: string[], { strategy }: { strategy?: string }) => {
        if (members.length === 0 && strategy === undefined) {
          throw new CliError(EXIT.usage, 'nothing_to_change', 'Give the members from now on, --strategy, or both.');
        }
        const change = { ...(members.length > 0 ? { members } : {}), ...(strategy === undefined ? {} : { strategy }) };
        const changed = await api().patch<VirtualModel>(pathTo('virtual-models', name), change);
        print.record(changed, fieldsOf(changed));
      }),
    );
  examples(command, 'soai virtual-model edit team m2 m1', 'soai virtual-model edit team --strategy load_balancing');
}

function toggle(parent: Command, bind: Bind, verb: 'enable' | 'disable', description: string): void {
  const command = parent
    .command(verb)
    .description(description)
    .argument('<name>', 'name of the virtual model')
    .action(
      bind(async ({ api, print }, name: string) => {
        const changed = await api().post<VirtualModel>(`${pathTo('virtual-models', name)}/${verb}`);
        print.record(changed, fieldsOf(changed));
      }),
    );
  examples(command, `soai virtual-model ${verb} team`);
}

function remove(parent: Command, bind: Bind): void {
  const command = parent
    .command('delete')
    .description('Delete one: the alias goes, the models behind it stay')
    .argument('<name>', 'name of the virtual model')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only tell what would be removed and what is kept')
    .action(
      bind(async (context, name: string, { yes, dryRun }: { yes?: boolean; dryRun?: boolean }) => {
        const { print } = context;
        const path = pathTo('virtual-models', name);
        const api = context.api();
        const preview = await api.delete<VirtualModelRemoval>(`${path}?dry_run=true`);
        if (!dryRun && !yes && !(await confirm(context, question(preview, name)))) {
          throw new CliError(EXIT.refused, 'not_confirmed', 'Nothing was deleted.');
        }
        const done = dryRun ? preview : await api.delete<VirtualModelRemoval>(path);
        print.record(done, [
          [dryRun ? 'Would delete' : 'Deleted', done?.removed ?? name],
          ['Kept models', orDash(done?.kept_models ?? [])],
        ]);
      }),
    );
  examples(command, 'soai virtual-model delete team --dry-run', 'soai virtual-model delete team --yes');
}

function question(preview: VirtualModelRemoval | null, name: string): string {
  const kept = orDash(preview?.kept_models ?? []);
  return `Delete the virtual model "${name}"? Requests for it are refused from then on. The models stay: ${kept}.`;
}

const COLUMNS: readonly Column<VirtualModel>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STRATEGY', value: ({ strategy }) => strategy },
  { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
  { title: 'ELIGIBLE', value: ({ member_states: all }) => `${all.filter((one) => one.eligible).length}/${all.length}` },
  { title: 'MEMBERS', value: ({ members }) => members.join(','), cut: true },
  { title: 'FROM', value: ({ origin }) => origin },
];

function fieldsOf(found: VirtualModel): [string, string][] {
  return [
    ['Name', found.name],
    ['Strategy', found.strategy],
    ['Enabled', found.enabled ? 'yes' : 'no'],
    ...(found.cooldown_until === null
      ? []
      : [['Deferred until', instant(found.cooldown_until)] satisfies [string, string]]),
    ['Capabilities', orDash(found.capabilities)],
    ['Modalities', orDash(found.modalities)],
    ['Context', found.context_tokens === null ? 'not known' : `${found.context_tokens} tokens`],
    ['Defined in', found.defined_in?.place ?? found.origin],
    ...found.member_states.map((member, index): [string, string] => [`Member ${index + 1}`, stateOf(member)]),
  ];
}

function stateOf({ model, eligible, code, reason, until }: VirtualModel['member_states'][number]): string {
  if (eligible) return `${model}: eligible`;
  return `${model}: left out (${code}): ${reason}${until === null ? '' : ` Until ${instant(until)}.`}`;
}

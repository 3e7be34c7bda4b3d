/** `soai log`: the log of the server or of one plugin (spec H "Logs"). */
import { Option } from 'commander';
import { logLevel, type LogEntryView } from '../../api/contract/logs';
import type { List } from '../../api/contract/management';
import { examples, type Register } from '../command';
import type { Context } from '../context';
import { EXIT } from '../exit-code';
import { instant } from '../output/time';
import { visible } from '../output/visible';
import { readEvents } from '../sse';
import { withPages, type PageOptions } from './list-options';

interface LogOptions extends PageOptions {
  readonly level?: string;
  readonly text?: string;
  readonly follow?: boolean;
}

export const registerLog: Register = (program, bind) => {
  const log = withPages(
    program
      .command('log')
      .description('Read the log of the server or of one plugin')
      .argument('[source]', 'core, or plugin:ID', 'core'),
  )
    .addOption(new Option('--level <level>', 'only this severe or more').choices(logLevel.options))
    .option('--text <text>', 'only lines with this text')
    .option('-f, --follow', 'go on with new lines, until Ctrl-C')
    .action(
      bind(async (context, source: string, { level, text, limit, cursor, follow }: LogOptions) => {
        const query = { source, level, text };
        const page = await context.api().get<List<LogEntryView>>('/api/v1/logs', { ...query, limit, cursor });
        const { print } = context;
        // The newest line is the last one on a screen; JSON keeps the order of the list.
        if (print.format === 'json' && !follow) return print.json(page);
        for (const entry of [...page.data].reverse()) show(context, entry);
        return follow ? followLog(context, query, page.data[0]?.id ?? '0') : EXIT.ok;
      }),
    );
  examples(log, 'soai log --level warn', 'soai log plugin:my-plugin --limit 5');
};

async function followLog(
  context: Context,
  query: Readonly<Record<string, string | undefined>>,
  after: string,
): Promise<number> {
  const leave = new AbortController();
  const stop = context.terminal.onInterrupt(() => leave.abort());
  const given = Object.entries({ ...query, after }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const client = context.api();
  try {
    const path = `/api/v1/logs/stream?${new URLSearchParams(given).toString()}`;
    const stream = await client.open('GET', path, { signal: leave.signal });
    for await (const { data } of readEvents(stream.body as AsyncIterable<Uint8Array>)) {
      show(context, JSON.parse(data) as LogEntryView);
    }
    context.print.say('The server ended the stream.');
    return EXIT.ok;
  } catch (error) {
    if (leave.signal.aborted) return EXIT.ok;
    throw client.unreachable(error);
  } finally {
    stop();
  }
}

function show({ print }: Context, entry: LogEntryView): void {
  if (print.format !== 'table') return print.line(entry);
  const more = Object.keys(entry.fields).length === 0 ? '' : `  ${JSON.stringify(entry.fields)}`;
  print.write(`${instant(entry.time)}  ${entry.level.toUpperCase().padEnd(5)}  ${visible(entry.message + more)}\n`);
}

/** `soai version`. */
import { examples, type Register } from '../command';
import { VERSION } from '../installation';

export const registerVersion: Register = (program, bind) => {
  const version = program
    .command('version')
    .description('Print the version of this command')
    .action(
      bind(({ print }) => {
        const facts = { version: VERSION, node: process.version, platform: `${process.platform}-${process.arch}` };
        if (print.format === 'json') print.json(facts);
        else if (print.format === 'jsonl') print.line(facts);
        else print.write(`soai ${facts.version} (node ${facts.node}, ${facts.platform})\n`);
      }),
    );
  examples(version, 'soai version');
};

/** `soai doctor`. */
import { examples, type Register } from '../command';
import { examine } from '../doctor/examine';
import { EXIT } from '../exit-code';
import { runOffline } from '../offline';
import { visible } from '../output/visible';
import { stateColour } from '../task/view';

export const registerDoctor: Register = (program, bind) => {
  const doctor = program
    .command('doctor')
    .description('Check this installation, the server up or down, and say what to mend')
    .addHelpText('after', '\nThe exit code is 1 when a check fails; warnings leave it at 0.')
    .action(
      bind(async (context) => {
        const findings = await examine(context, runOffline);
        const { print } = context;
        const paint = stateColour(print);
        if (print.format === 'json') print.json({ data: findings, next_cursor: null });
        else if (print.format === 'jsonl') for (const finding of findings) print.line(finding);
        else {
          for (const { check, result, detail, fix } of findings) {
            print.write(`${paint(result)}  ${check}: ${visible(detail)}\n`);
            if (fix !== null) print.write(`      ${visible(fix)}\n`);
          }
        }
        return findings.some(({ result }) => result === 'fail') ? EXIT.failed : EXIT.ok;
      }),
    );
  examples(doctor, 'soai doctor', 'soai doctor --output json');
};

/**
 * The child process of the integrity check (C4): checks the file named and prints `{"problems":[…]}`.
 * With `--log`, the write-ahead log beside it is checked too; not while a server writes it.
 *
 * A process of its own, since the check reads the whole file and blocks whoever runs it.
 */
import { quickCheck } from './quick-check';
import { logProblem } from './write-ahead-log';

async function check(file: string, log: boolean): Promise<readonly string[]> {
  const problem = log ? logProblem(file) : null;
  return problem === null ? quickCheck(file) : [problem];
}

void check(process.argv[2]!, process.argv.includes('--log')).then((problems) =>
  process.stdout.write(`${JSON.stringify({ problems })}\n`),
);

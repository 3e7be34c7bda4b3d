/**
 * The child process of the integrity check (C4): checks the file named and prints `{"problems":[…]}`.
 * The write-ahead log beside it is checked too, unless a server may write it meanwhile: `--in-use`.
 *
 * A process of its own, since the check reads the whole file and blocks whoever runs it.
 */
import { quickCheck } from './quick-check';
import { logProblem } from './write-ahead-log';

async function check(file: string, inUse: boolean): Promise<readonly string[]> {
  const problem = inUse ? null : logProblem(file);
  return problem === null ? quickCheck(file, inUse) : [problem];
}

void check(process.argv[2]!, process.argv.includes('--in-use')).then((problems) =>
  process.stdout.write(`${JSON.stringify({ problems })}\n`),
);

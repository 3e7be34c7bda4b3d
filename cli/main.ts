/** Entry point of `soai` (spec J). `bin/soai` runs it with the pinned Node. */
import { EXIT } from './exit-code';
import { runCommand } from './program';
import { processTerminal, type Terminal } from './terminal';

export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(argv, terminal);
  } catch (error) {
    // A defect of ours: the stack is what a report of it needs.
    terminal.stderr.write(
      `soai: unexpected failure\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT.failed;
  }
}

if (require.main === module) {
  void main(process.argv.slice(2), processTerminal()).then((code) => {
    // Not process.exit: what is still on its way to a pipe would be lost.
    process.exitCode = code;
  });
}

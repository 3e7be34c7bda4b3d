/** Accepts tasks as fast as it can and prints each id once it is acknowledged. Ends by being killed. */
import { openStore } from '../../store/open-store';
import { newTask } from './samples';

async function main(dataDir: string, prefix: string): Promise<void> {
  const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
  let next = 0;
  const client = async (): Promise<never> => {
    for (;;) {
      const id = `${prefix}-${(next += 1)}`;
      await store.tasks.accept(newTask({ id, body: JSON.stringify({ id, text: 'x'.repeat(2_000) }) }), 0);
      process.stdout.write(`${id}\n`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
}

void main(process.argv[2]!, process.argv[3]!);

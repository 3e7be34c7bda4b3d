/** Runs the embedded server of the data directory given, until it is killed; prints its address. */
import { startEmbeddedTemporal, untilUp } from '../../activities/temporal-server';
import { silentLog } from './silent-log';

async function main(dataDir: string): Promise<void> {
  const engine = await startEmbeddedTemporal({ dataDir, namespace: 'soai', log: silentLog });
  await untilUp(engine, 20_000);
  process.stdout.write(`${engine.state} ${engine.address}\n`);
}

void main(process.argv[2]!);

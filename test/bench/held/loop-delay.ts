/**
 * Preloaded into the measured process (`node --require`): writes its event-loop delay to the file that
 * LOOP_DELAY_FILE names, once a second, since the last SIGUSR2.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;
const file = process.env['LOOP_DELAY_FILE'];
// Node's own children inherit the preload; only the server itself is to report.
if (file !== undefined && process.argv.includes('--config')) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  process.on('SIGUSR2', () => histogram.reset());
  const inMs = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
  const report = (): void =>
    writeFileSync(
      file,
      JSON.stringify({
        p50Ms: inMs(histogram.percentile(50)),
        p99Ms: inMs(histogram.percentile(99)),
        maxMs: inMs(histogram.max),
      }),
    );
  setInterval(report, 1_000).unref();
}

/**
 * Bare Temporal behind HTTP: what one durable call costs at least, with the server, flags, SDK and
 * pattern that SoAI uses, and nothing of SoAI. `/activity/v1/…` runs one eager activity,
 * `/local/v1/…` the local-activity form. Prints `{"url": …}` when it listens.
 *
 *   node dist/test/bench/bare/main.js DATA_DIR BUNDLE UPSTREAM_URL
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@temporalio/client';
import { makeTelemetryFilterString, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import pino from 'pino';
import { startEmbeddedTemporal, untilUp } from '../../../activities/temporal-server';
import { bareActivities, type Waiting } from './activities';
import type * as workflows from './workflows';

const TASK_QUEUE = 'bare';
const UP_WITHIN_MS = 60_000;
const WORKFLOWS: Readonly<Record<string, keyof typeof workflows>> = {
  activity: 'viaActivity',
  local: 'viaLocalActivity',
};

async function main(dataDir: string, codePath: string, upstreamUrl: string): Promise<void> {
  const log = pino({ level: 'warn' }, pino.destination(2));
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
  const engine = await startEmbeddedTemporal({ dataDir, namespace: 'bare', log });
  if (!(await untilUp(engine, UP_WITHIN_MS))) throw new Error('the Temporal server did not come up');
  const connection = await NativeConnection.connect({ address: engine.address, grpcCompression: { codec: 'none' } });
  const waiting = new Map<string, Waiting>();
  const worker = await Worker.create({
    connection,
    namespace: engine.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath },
    activities: bareActivities(upstreamUrl, waiting),
    maxConcurrentActivityTaskExecutions: 1024,
    maxConcurrentLocalActivityExecutions: 1024,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: 2000,
  });
  const working = worker.run();
  const client = new Client({ connection, namespace: engine.namespace });

  const server = createServer({ keepAliveTimeout: 0, noDelay: true }, async (request, response) => {
    const [, form = '', ...path] = (request.url ?? '').split('/');
    const workflow = WORKFLOWS[form];
    if (!workflow) return void response.writeHead(404).end();
    const id = randomUUID();
    waiting.set(id, { path: `/${path.join('/')}`, body: await read(request), response });
    response.once('close', () => waiting.delete(id));
    const options = { workflowId: id, taskQueue: TASK_QUEUE, args: [id] as [string], requestEagerStart: true };
    await client.workflow.start(workflow, options).catch((error: unknown) => {
      log.error({ err: error }, 'start failed');
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
  });

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    server.close();
    server.closeAllConnections();
    worker.shutdown();
    await working;
    await connection.close();
    await engine.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  // The benchmark holds our stdin open; without it there is nobody to serve.
  process.stdin.resume().once('end', () => void stop());
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const [, , dataDir, bundle, upstreamUrl] = process.argv;
if (!dataDir || !bundle || !upstreamUrl) throw new Error('usage: main.js DATA_DIR BUNDLE UPSTREAM_URL');
main(dataDir, bundle, upstreamUrl).catch((error: unknown) => {
  process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
  process.exit(1);
});

/**
 * The upstream of the benchmark, in a process of its own: fixed answers, built once, so that its
 * cost per request stays small beside what is measured. Prints `{"url": …}` when it listens.
 *
 *   node dist/test/upstream/main.js [port] [tokens of an answer]
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunk, completion, DONE, ev, fin, role, usageChunk, usageOf } from './wire';

const port = Number(process.argv[2] ?? 0);
const tokens = Number(process.argv[3] ?? 20);

const text = Array.from({ length: tokens }, (_, i) => `word${i} `);
const usage = usageOf(10, tokens);
const plain = Buffer.from(JSON.stringify(completion(text.join(''), usage)));
const events = [role(), ...text.map((word) => chunk(word)), fin(), usageChunk(usage)].map((c) => Buffer.from(ev(c)));
const models = Buffer.from(
  JSON.stringify({ object: 'list', data: [{ id: 'fake', object: 'model', created: 0, owned_by: 'fake' }] }),
);
const WANTS_STREAM = /"stream"\s*:\s*true/;

const server = createServer({ keepAliveTimeout: 0, noDelay: true }, (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (request.method === 'GET' || !WANTS_STREAM.test(Buffer.concat(parts).toString('latin1'))) {
      const body = request.method === 'GET' ? models : plain;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(event);
    response.end(DONE);
  });
});

server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
// The benchmark that started it holds its stdin open; when it is gone, so is the need for this.
process.stdin.resume().once('end', () => process.exit(0));

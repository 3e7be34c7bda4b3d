/**
 * An upstream whose streams trickle: each token says when it was written, so that a reader knows how
 * late it is. Prints `{"url": …}` when it listens.
 *
 *   node upstream.js TOKENS_PER_SECOND SECONDS
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunk, DONE, ev, fin, role } from '../../upstream/wire';

const perSecond = Number(process.argv[2]);
const seconds = Number(process.argv[3]);
const tokens = Math.round(perSecond * seconds);
const periodMs = 1_000 / perSecond;
const now = (): number => performance.timeOrigin + performance.now();

function trickle(response: ServerResponse): void {
  const start = performance.now() + Math.random() * periodMs;
  let sent = 0;
  const next = (): void => {
    if (response.destroyed) return;
    if (sent === tokens) {
      response.write(ev(fin()));
      response.end(DONE);
      return;
    }
    response.write(ev(chunk(`@${now().toFixed(2)} `)));
    sent += 1;
    setTimeout(next, Math.max(0, start + sent * periodMs - performance.now()));
  };
  response.write(ev(role()));
  setTimeout(next, start - performance.now());
}

const server = createServer({ keepAliveTimeout: 0, noDelay: true }, (request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    trickle(response);
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
process.stdin.resume().once('end', () => process.exit(0));

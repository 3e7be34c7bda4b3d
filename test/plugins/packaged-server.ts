/** A plugin package as a third party would make one: a manifest and a server of its own. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SERVER = `
const http = require('node:http');
const [port] = process.argv.slice(2);
http.createServer((request, response) => {
  if (request.url === '/health') return response.writeHead(200).end();
  response.setHeader('content-type', 'application/json');
  if (request.url === '/v1/models') return response.end('{"data":[{"id":"echo"}]}');
  const content = JSON.stringify({ from: __dirname, greeting: process.env.GREETING, token: process.env.TOKEN });
  response.end(JSON.stringify({
    id: 'c', object: 'chat.completion', created: 1, model: 'echo',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }));
}).listen(Number(port), '127.0.0.1');
`;

export const echoManifest = {
  name: 'echo',
  version: '1.0.0',
  title: 'Echo',
  description: 'Says how it was started.',
  requires: { soai: '>=0.1.0', platform: [process.platform], node: '>=20' },
  operations: ['chat'],
  backend: { command: ['node', '{package_dir}/lib/server.js', '{port}'] },
  settings: {
    GREETING: { type: 'string', default: 'hello', description: 'What it says.' },
    TOKEN: { type: 'string', secret: true },
  },
};

/** A folder with the package; `files` are added or replace its own. */
export function packageFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'soai-package-'));
  const all = { 'manifest.json': JSON.stringify(echoManifest), 'lib/server.js': SERVER, ...files };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

/** The same as a .tgz, with one folder around everything, as npm and tar make them. */
export function packageArchive(files: Readonly<Record<string, string>> = {}): string {
  const folder = packageFolder(files);
  const archive = path.join(mkdtempSync(path.join(tmpdir(), 'soai-archive-')), 'echo.tgz');
  execFileSync('tar', ['-czf', archive, '-C', path.dirname(folder), path.basename(folder)]);
  return archive;
}

// Has the SDK download its own copy of the server, and keeps that copy: download-temporal.mjs TARGET RELEASE
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [target = '', version = ''] = process.argv.slice(2);
const downloadDir = join(dirname(target), `download-${process.pid}`);
mkdirSync(downloadDir, { recursive: true });

const server = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir, version } },
});
await server.teardown();

const [file] = readdirSync(downloadDir);
if (!file) throw new Error('the SDK left no executable behind');
renameSync(join(downloadDir, file), target);

/**
 * Schemathesis against our OpenAPI document: requests that fit it, requests that don't, and what comes
 * back, which must be as the document says and never a fault of ours. Some hundred requests;
 * SCHEMATHESIS=full makes more than 5,000.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backends, withSoai } from '../harness';
import { PYTHON_WITHIN_MS, pythonEnvironment, pythonMissing } from './python/environment';

const missing = pythonMissing();
if (missing !== null) {
  process.stderr.write(`SKIPPED: schemathesis (test/clients/schemathesis.spec.ts): ${missing}\n`);
}

const SHORT = { phases: 'fuzzing', examples: '6', least: 300, withinMs: 5 * 60_000 };
const FULL = { phases: 'coverage,fuzzing', examples: '80', least: 5_000, withinMs: 60 * 60_000 };
const { phases, examples, least, withinMs } = process.env.SCHEMATHESIS === 'full' ? FULL : SHORT;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
  'use_after_free',
];

interface Run {
  readonly failed: boolean;
  readonly said: string;
  readonly requests: number;
}

(missing === null ? describe : describe.skip)('schemathesis', () => {
  const fixture = withSoai((upstream) =>
    backends({ id: 'up', url: upstream.url, models: ['m'], capabilities: ['chat', 'completions', 'embeddings'] }),
  );
  let python: string;
  let directory: string;

  beforeAll(async () => {
    python = await pythonEnvironment();
    directory = await mkdtemp(join(tmpdir(), 'soai-schemathesis-'));
  }, PYTHON_WITHIN_MS);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function run(): Promise<Run> {
    const report = join(directory, 'events.ndjson');
    const words = [
      ...['-m', 'schemathesis.cli', 'run', `${fixture.soai.url}/api/v1/openapi.json`],
      ...['--header', `Authorization: Bearer ${fixture.soai.key}`, '--checks', CHECKS.join(',')],
      // Streams without an end; their shapes have tests of their own.
      ...['--exclude-path', '/api/v1/events', '--exclude-path', '/api/v1/logs/stream'],
      // It finds its own key in the list, and revokes it.
      ...['--exclude-path', '/api/v1/keys/{id}'],
      ...['--phases', phases, '--max-examples', examples],
      ...['--seed', '7', '--continue-on-failure', '--request-timeout', '30', '--suppress-health-check', 'all'],
      ...['--report', 'ndjson', '--report-ndjson-path', report, '--no-color', '--generation-database', 'none'],
    ];
    const { failed, said } = await new Promise<{ failed: boolean; said: string }>((resolve) => {
      const options = {
        cwd: directory,
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      };
      execFile(python, words, options, (error, stdout, stderr) =>
        resolve({ failed: error !== null, said: `${stdout}\n${stderr}` }),
      );
    });
    const events = await readFile(report, 'utf8').catch(() => '');
    return { failed, said, requests: events.split('"status_code"').length - 1 };
  }

  test(
    'T84: no answer is a fault of ours or other than the document says',
    async () => {
      const { failed, said, requests } = await run();
      process.stderr.write(`schemathesis made ${requests} requests\n`);
      expect(failed ? said : '').toBe('');
      // A run that locked itself out has tested nothing.
      expect(said).not.toContain('Authentication failed');
      expect(requests).toBeGreaterThan(least);
    },
    withinMs,
  );
});

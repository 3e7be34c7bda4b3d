/** The official client for Python, against the real product and the fault upstream; each of its cases is a test here. */
import { untilTask } from '../harness';
import type { Script } from '../upstream/script';
import { HI, withClients, type CaseModel } from './fixture';
import { ANSWERS } from './python/answers';
import { pythonCases, PythonRun } from './python/cases';
import { PYTHON_WITHIN_MS, pythonEnvironment, pythonMissing } from './python/environment';

const missing = pythonMissing();
if (missing !== null) {
  process.stderr.write(`SKIPPED: the openai package for Python (test/clients/openai-python.spec.ts): ${missing}\n`);
}

(missing === null ? describe : describe.skip)('openai for Python', () => {
  const fixture = withClients();
  const cases = pythonCases();
  const models = new Map<string, CaseModel>();
  let run: PythonRun;

  beforeAll(async () => {
    const python = await pythonEnvironment();
    for (const { id } of cases) {
      const model = fixture.fresh();
      models.set(id, model);
      const answers = ANSWERS[id];
      if (answers) model.script.always(answers.at(-1) ?? null).answers(...answers.slice(0, -1));
    }
    const names = Object.fromEntries([...models].map(([id, { name }]) => [id, name]));
    run = new PythonRun(python, { base_url: `${fixture.soai.url}/v1`, key: fixture.soai.key, models: names });
  }, PYTHON_WITHIN_MS);

  const bodyOf = ({ script }: CaseModel) => script.requests[0]?.body as Record<string, unknown>;
  const called =
    (times: number) =>
    ({ script }: CaseModel) =>
      expect(script.requests).toHaveLength(times);
  const letGo = async ({ name, script }: { name: string; script: Script }) => {
    await script.closed(1);
    const task = await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled');
    expect(task.reason).toBe('client_disconnected');
  };

  /** What is to be seen at the backend and in the ledger once a case has passed. */
  const AFTERWARDS: Readonly<Record<string, (model: CaseModel) => unknown>> = {
    'unknown-request': (model) =>
      expect(bodyOf(model)).toEqual({
        model: `up-${model.name}`,
        messages: HI,
        enable_thinking: false,
        x_vendor: { a: [1], b: null },
      }),
    'max-tokens': (model) => expect(bodyOf(model)).toEqual({ model: `up-${model.name}`, messages: HI, max_tokens: 7 }),
    'null-content': (model) => expect(bodyOf(model)).toMatchObject({ messages: [{}, { content: null }, {}] }),
    image: ({ script }) => expect(script.requests[0]?.raw.length).toBeGreaterThan(6_000_000),
    'too-large': called(0),
    'upstream-400': called(1),
    'upstream-409': called(1),
    'upstream-429': called(10),
    'upstream-500': called(4),
    'upstream-500-stream': called(4),
    'retry-after': called(2),
    'embed-default': (model) => expect(bodyOf(model)).toMatchObject({ encoding_format: 'base64' }),
    'embed-rejects': called(2),
    deadline: called(1),
    timeout: letGo,
    'cancel-async': letGo,
    'stream-leave': letGo,
    idempotent: called(1),
    'idempotent-other': called(1),
  };

  test.each(cases)('$title', async ({ id }) => {
    await run.passed(id);
    await AFTERWARDS[id]?.(models.get(id)!);
  });

  test('house: what is said of a case is said of one that exists', () => {
    const known = cases.map(({ id }) => id);
    expect(known).toEqual(expect.arrayContaining([...Object.keys(ANSWERS), ...Object.keys(AFTERWARDS)]));
    expect(new Set(known).size).toBe(known.length);
    expect(known.length).toBeGreaterThanOrEqual(40);
  });
});

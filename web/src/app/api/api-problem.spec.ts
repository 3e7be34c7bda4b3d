import { ApiProblem, asProblem, problemFrom } from './api-problem';

const answer = (body: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(body, { status, headers });

describe('problemFrom', () => {
  test('reads the management shape with hint and request id', async () => {
    const body = { error: { code: 'csrf', message: 'Not from here.', hint: 'Reload the page.', request_id: 'req-7' } };
    expect(await problemFrom(answer(JSON.stringify(body), 403))).toMatchObject({
      code: 'csrf',
      message: 'Not from here.',
      hint: 'Reload the page.',
      requestId: 'req-7',
      status: 403,
    });
  });

  test('T84: reads OpenAI’s shape, with the ids from the headers', async () => {
    const body = {
      error: { message: 'No such model.', type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
    };
    const headers = { 'x-request-id': 'req-8', 'x-soai-task-id': 'task-8' };
    expect(await problemFrom(answer(JSON.stringify(body), 404, headers))).toMatchObject({
      code: 'model_not_found',
      message: 'No such model.',
      hint: 'Parameter: model',
      requestId: 'req-8',
      taskId: 'task-8',
      status: 404,
    });
  });

  test('a null code becomes the status', async () => {
    const body = { error: { message: 'Odd.', type: 'server_error', param: null, code: null } };
    expect(await problemFrom(answer(JSON.stringify(body), 500))).toMatchObject({ code: 'http_500', hint: null });
  });

  test.each(['<html>Bad gateway</html>', '', '{"error":"text"}', '{"error":{}}', 'null', '[1]'])(
    'says what is known when the body is %j, never [object Object]',
    async (body) => {
      const problem = await problemFrom(answer(body, 502));
      expect(problem.code).toBe('http_502');
      expect(problem.message).toMatch(/502/);
      expect(problem.message).not.toMatch(/object/);
    },
  );
});

describe('asProblem', () => {
  test('a failed fetch is an unreachable server', () => {
    expect(asProblem(new TypeError('fetch failed'))).toMatchObject({ code: 'unreachable', status: 0, isOutage: true });
  });

  test('a timeout is told apart', () => {
    expect(asProblem(new DOMException('late', 'TimeoutError')).code).toBe('timeout');
  });

  test('a problem stays itself', () => {
    const problem = new ApiProblem('queue_full', 'Full.', null, 'req-1', 503);
    expect(asProblem(problem)).toBe(problem);
    expect(problem.isOutage).toBe(true);
  });
});

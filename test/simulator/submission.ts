/** A scenario's request as the API would hand it over. */
import type { Submission } from '../../activities/dispatcher';
import type { RequestScenario } from './scenario';

export function submissionOf(request: RequestScenario, id: string): Submission {
  const body = { model: 'm', stream: request.stream };
  return {
    id,
    operation: 'chat',
    owner: { kind: 'key', id: request.owner },
    accountId: request.owner,
    model: 'm',
    virtual: null,
    plan: request.plan.map((target) => ({ ...target, dropped: null })),
    priority: request.priority,
    stream: request.stream,
    background: request.background,
    requestId: `r-${id}`,
    body: JSON.stringify(body),
    parsedBody: body,
    idempotency:
      request.key === null
        ? null
        : { key: request.key, route: 'chat', bodyHash: String(request.stream), expiresAt: Infinity },
    clientTimeoutMs: request.clientTimeoutMs ?? undefined,
  };
}

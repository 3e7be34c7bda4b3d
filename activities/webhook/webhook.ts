/** Tells the configured receiver of quarantines and open circuits, beside the request path. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema';
import type { Circuits } from '../circuits';
import type { PluginHost } from '../plugin-host';
import { seconds } from '../timings';
import { noticeOfCircuit, noticeOfQuarantine, type Notice } from './notice';
import { Outbox } from './outbox';
import { postsTo, receiverProblem, type PostNotice } from './post-notice';

export interface WebhookDeps {
  readonly settings: Settings['WEBHOOK'];
  readonly plugins: Pick<PluginHost, 'onChange'>;
  readonly circuits: Pick<Circuits, 'onChange'>;
  readonly log: Logger;
  readonly now?: () => number;
  readonly post?: PostNotice;
}

const LONGEST_PAUSE_MS = 60_000;

/** @returns the end of it; resolves when nothing is on its way any more */
export function startWebhook(deps: WebhookDeps): () => Promise<void> {
  const { settings, log, now = Date.now } = deps;
  const { URL: url, SECRET: secret, TRIES: tries } = settings;
  if (url === null) return () => Promise.resolve();
  const problem = receiverProblem({ url });
  if (problem !== null) {
    log.error({ reason: problem }, 'the webhook stays off');
    return () => Promise.resolve();
  }
  const outbox = new Outbox({
    post: deps.post ?? postsTo({ url, secret, timeoutMs: seconds(settings.TIMEOUT_SEC), now }),
    retry: {
      transientRetries: tries - 1,
      rateLimitCalls: tries,
      maxCalls: tries,
      baseDelayMs: Math.min(seconds(settings.RETRY_DELAY_SEC), LONGEST_PAUSE_MS),
      maxDelayMs: LONGEST_PAUSE_MS,
    },
    log,
    random: Math.random,
    pause: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
  });
  const ends = [watchQuarantines(deps, now, outbox), watchCircuits(deps, now, outbox)];
  return () => {
    for (const end of ends) end();
    return outbox.stop();
  };
}

type Sink = { put(notice: Notice): void };

/** One that an earlier run recorded was told then. */
function watchQuarantines({ plugins }: WebhookDeps, now: () => number, outbox: Sink): () => void {
  const startedAt = now();
  const known = new Map<string, 'none' | 'quarantined' | 'integrity'>();
  return plugins.onChange(({ id, quarantine }) => {
    const notice = noticeOfQuarantine(id, known.get(id) ?? 'none', quarantine, now());
    known.set(id, quarantine.state);
    if (notice !== null && notice.at >= startedAt) outbox.put(notice);
  });
}

function watchCircuits({ circuits }: WebhookDeps, now: () => number, outbox: Sink): () => void {
  const startedAt = now();
  const known = new Map<string, 'closed' | 'open' | 'half_open'>();
  return circuits.onChange((id, view) => {
    const notice = noticeOfCircuit(id, known.get(id) ?? 'closed', view, now());
    known.set(id, view.state);
    if (notice !== null && notice.at >= startedAt) outbox.put(notice);
  });
}

import { z } from 'zod';
import { count, seconds, section, setting } from '../setting';
import { healthChecks } from './health-checks';
import { retry } from './retry';
import { timeouts } from './timeouts';
import { virtualModels } from './virtual-models';

export const routing = section('Admission, queue, scheduling and routing (spec A to D).', {
  QUEUE_CAPACITY: count(
    1024,
    1,
    'tasks',
    'Places in the in-memory ready queue. When it is full a request waits up to 10 s (fixed), then gets 503 queue_full.',
  ),
  DURABLE_QUEUE_HARD_LIMIT_TASKS: count(
    100_000,
    0,
    'tasks',
    'Unfinished tasks at which new requests are refused with 503 capacity_exceeded. 0 means no limit.',
  ),
  MIN_FREE_DISK_BYTES_FOR_ACCEPT: count(
    1_073_741_824,
    0,
    'bytes',
    'Free space of the file system holding SYSTEM_DATA below which requests are refused with 507.',
  ),
  MAX_REQUEST_BYTES_IN_MEMORY: count(
    268_435_456,
    0,
    'bytes',
    'Bodies of unfinished requests that one process holds, and as much again of bodies it is receiving; above it new ' +
      'requests are refused with 503 request_memory_full. The text and what was parsed from it take more memory than that. 0 means no limit.',
  ),
  MAX_RUNNING_LOCAL_BACKENDS: count(
    1,
    1,
    'processes',
    'Local backends (model processes on this host) that run at once.',
  ),
  MAX_RUNNING_TASKS_PER_OWNER: count(
    0,
    0,
    'tasks',
    'Running tasks of one owner: an account, an automation or an API key. 0 means no limit.',
  ),
  STANDARD_PRIORITY_AGING_SEC: seconds(25, 'Wait after which a standard request joins the top class.', 'zero'),
  FLEX_PRIORITY_AGING_SEC: seconds(120, 'Wait after which a flex request joins the top class.', 'zero'),
  DURABLE_QUEUE_LEASE_TTL_SEC: seconds(
    30,
    "Lease of a worker on a queue item, renewed every third of it while the worker lives. A dead worker's work " +
      'returns to the queue after at most this and one sweep.',
  ),
  DURABLE_QUEUE_RECOVERY_SWEEP_SEC: seconds(5, 'How often expired leases are looked for. Shorter than the lease.'),
  FAIR_TASK_ROTATION: setting(z.boolean().default(true), {
    description: 'Members of a virtual model with equal scores take turns.',
  }),
  VIRTUAL_MODEL_TRIES_PER_MEMBER: count(
    1,
    1,
    'calls',
    'Calls to one member while another eligible one is left; the last gets the whole retry budget.',
  ),
  IDEMPOTENCY_TTL_SEC: seconds(86_400, 'How long an Idempotency-Key is remembered.'),
  VIRTUAL_MODELS: virtualModels,
  TIMEOUTS: timeouts,
  RETRY: retry,
  HEALTH_CHECKS: healthChecks,
});

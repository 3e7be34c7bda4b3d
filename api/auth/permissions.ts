/** What each role may do. Routes name the permission they need; handlers never look at roles. */
import type { Account } from '../../store/records';

/** Held by everybody who is signed in, whatever the role. */
const STANDARD = [
  'INFERENCE',
  'SESSION',
  'API_REFERENCE_READ',
  'MODELS_READ',
  'MODEL_ROUTING_READ',
  /** Figures of the queue as a whole; they name nobody. */
  'QUEUE_READ',
  'EVENTS_READ',
  /** One's own account's tasks; likewise below. */
  'TASKS_READ',
  'TASKS_CANCEL',
  'USAGE_READ',
  'KEYS_MANAGE',
] as const;

/** Only administrators hold these; ALL_ACCOUNTS widens TASKS_*, USAGE_READ and KEYS_* to everybody's. */
type AdministratorsOnly =
  | 'ALL_ACCOUNTS'
  | 'PRIORITY_HIGH'
  | 'MODELS_ADMIN'
  | 'MODEL_ROUTING_ADMIN'
  | 'PLUGINS_READ'
  | 'PLUGINS_ADMIN'
  | 'LOGS_READ'
  | 'SYSTEM_READ';

export type Permission = (typeof STANDARD)[number] | AdministratorsOnly;

/** Needs no sign-in. Every route that says so is listed in a spec (S51). */
export const OPEN = 'OPEN';

const OF_EVERYBODY: ReadonlySet<Permission> = new Set(STANDARD);

export function permits(account: Account, permission: Permission): boolean {
  return account.role === 'administrator' || OF_EVERYBODY.has(permission);
}

/**
 * Whether the account may send requests to a model under the model's own name. An alias never widens
 * it: members that it forbids are left out and not named (D9).
 */
export function mayUseModel(account: Account, _model: ModelPlace): boolean {
  return permits(account, 'INFERENCE');
}

interface ModelPlace {
  readonly id: string;
  readonly pluginId: string;
}

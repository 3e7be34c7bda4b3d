/** What each role may do. Routes name the permission they need; handlers never look at roles. */
import type { Account } from '../../store/records';

/** Held by everybody who is signed in, whatever the role. */
const STANDARD = [
  'INFERENCE',
  'SESSION',
  'API_REFERENCE_READ',
  'MODELS_READ',
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
  'ALL_ACCOUNTS' | 'PRIORITY_HIGH' | 'PLUGINS_READ' | 'PLUGINS_ADMIN' | 'SYSTEM_READ' | 'PRIORITY_HIGH';

export type Permission = (typeof STANDARD)[number] | AdministratorsOnly;

/** Needs no sign-in. Every route that says so is listed in a spec (S51). */
export const OPEN = 'OPEN';

const OF_EVERYBODY: ReadonlySet<Permission> = new Set(STANDARD);

export function permits(account: Account, permission: Permission): boolean {
  return account.role === 'administrator' || OF_EVERYBODY.has(permission);
}

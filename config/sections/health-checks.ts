import { count, seconds, section } from '../setting';

export const healthChecks = section('Circuit breakers and the Plugin Guardian (spec E and F).', {
  FAILURE_WINDOW_SEC: seconds(1440, 'Failures older than this no longer count towards an open circuit.'),
  FAILURE_THRESHOLD: count(3, 1, undefined, "Failed requests inside the window that open a plugin's circuit."),
  RECOVERY_TIMEOUT_SEC: seconds(1440, 'From the last failure until an open circuit admits one probe.'),
  PERSIST_SEC: seconds(15, 'How often changed breaker state is written to the database.'),
  INTERVAL_SEC: seconds(20, 'About how often each plugin is checked, with jitter.'),
  PING_TIMEOUT_SEC: seconds(15, 'How long an idle plugin may take to answer a ping.'),
  TRANSITIONAL_TIMEOUT_SEC: seconds(900, 'How long a backend may stay starting or stopping before it counts as stuck.'),
  FLAPPING_WINDOW_SEC: seconds(300, 'Window in which state changes are counted as flapping.'),
  FLAPPING_MIN_TRANSITIONS: count(6, 2, undefined, 'State changes inside that window that flag a plugin as flapping.'),
  MAX_RECOVERY_ATTEMPTS: count(
    3,
    0,
    undefined,
    'Recoveries in a row before the plugin is stopped and quarantined. A successful ping starts the count anew.',
  ),
  RESTART_DELAY_SEC: seconds(
    1,
    'Wait before the first recovery of a plugin in a row; it doubles with each further one up to INTERVAL_SEC, and ' +
      'once more while the plugin is flapping.',
    'zero',
  ),
  VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC: seconds(
    15,
    'How long a member of a virtual model is left out after a failure, and a whole alias after a terminal one.',
    'zero',
  ),
});

/**
 * The error catalogue: every code a client can meet, once (contract 1, spec A, B, D, E, I, K).
 *
 * `retry` is what the OpenAI SDKs read: `true`/`false` becomes `x-should-retry`, `null` leaves them
 * their default. Only refusals from before acceptance say true; a spent budget says false (B4).
 */
import { type ErrorEntry, later, request, server, upstream } from './entry';

export const CATALOGUE = {
  // The request itself.
  invalid_json: request(400, 'The request body is not valid JSON.', 'Send one JSON value, encoded as UTF-8.'),
  invalid_body_encoding: request(
    400,
    'The request body could not be decompressed.',
    'Check that Content-Encoding names what was really sent.',
  ),
  invalid_type: request(400, 'A parameter has the wrong type.'),
  invalid_value: request(400, 'A parameter has a value that is not allowed.'),
  missing_required_parameter: request(400, 'A required parameter is missing.'),
  unsupported_parameter: request(
    400,
    'A parameter is not known here.',
    'Check its spelling against the API reference.',
  ),
  invalid_cursor: request(400, 'The cursor is not one this list gave out.', 'Start again without a cursor.'),
  context_length_exceeded: request(
    400,
    "The request is longer than the model's context.",
    'Shorten the input or choose a model with a longer context.',
  ),
  no_eligible_member: request(
    400,
    'No member of this model can serve the request.',
    'The message names what each of them lacks.',
  ),
  invalid_api_key: request(
    401,
    'Incorrect API key provided.',
    'Send "Authorization: Bearer sk-soai-…" with a live key.',
  ),
  not_signed_in: request(
    401,
    'Sign in first, or send an API key.',
    'Sign in at the WebUI, or send "Authorization: Bearer sk-soai-…".',
  ),
  sign_in_failed: request(401, 'The account name or the password is wrong.'),
  setup_token_invalid: request(
    401,
    'The setup link is not valid, was used before, or has expired.',
    'Set-up works once, from this machine. Restart the server to get a new link, or sign in if a password is set.',
  ),
  insufficient_permissions: request(403, 'Your account may not do this.', 'Ask an administrator.'),
  model_not_allowed: request(403, 'Your account may not use this model.', 'Ask an administrator.'),
  csrf_failed: request(
    403,
    'The request did not come from the WebUI itself.',
    'Reload the page; scripts use an API key instead of the cookie.',
  ),
  model_not_found: request(404, 'The model does not exist here.', 'GET /v1/models lists those that do.'),
  task_not_found: request(404, 'There is no such task.'),
  response_not_found: request(404, 'There is no such response.'),
  answer_not_available: request(404, 'The task has no stored answer.', 'Only a completed task has one.'),
  plugin_not_found: request(404, 'There is no such plugin.', 'GET /api/v1/plugins lists those that are installed.'),
  virtual_model_not_found: request(
    404,
    'There is no such virtual model.',
    'GET /api/v1/virtual-models lists those that exist.',
  ),
  file_not_found: request(
    404,
    'There is no such model file.',
    'GET /api/v1/plugins/{id}/files lists those that exist.',
  ),
  download_not_found: request(404, 'There is no such download.', 'GET /api/v1/downloads lists the newest.'),
  plugin_has_no_files: request(409, 'The plugin keeps no model files on this host.'),
  file_exists: request(409, 'The file is there, or on its way.', 'Delete it first, or choose another name.'),
  file_in_use: request(
    409,
    'Models are served from this file.',
    'The message names them. Remove them first, or repeat with force=true: they are disabled then.',
  ),
  members_rejected: request(
    422,
    'These models can not be the members of a virtual model.',
    'The message names every rejected member and its reason.',
  ),
  name_taken: request(
    409,
    'The name is taken.',
    'Model ids, aliases and virtual models share one name space, without regard to case.',
  ),
  defined_in_settings: request(
    409,
    'It is defined in the settings file, so it is read-only here.',
    'Change it where it is defined; the message says where, and what applies the change.',
  ),
  model_in_use: request(
    409,
    'Virtual models have this model as a member.',
    'The message names them. Take it out of them first, or repeat with force=true.',
  ),
  package_not_found: request(404, 'There is no such plugin package.', 'GET /api/v1/plugin-packages lists them.'),
  key_not_found: request(404, 'There is no such API key.'),
  account_not_found: request(404, 'There is no such account.'),
  unknown_url: request(404, 'There is nothing at this address.', 'The API reference lists every address.'),
  method_not_allowed: request(405, 'This address does not take that method.', 'The Allow header names those it takes.'),
  request_timeout: { ...request(408, 'The request did not arrive in time.'), type: 'timeout_error', shouldRetry: true },
  stream_restarted: request(
    409,
    'The response was run again after an interruption, so its stream has begun anew.',
    'Read the stream from its beginning, without starting_after.',
  ),
  plugin_exists: request(409, 'There is a plugin of that name already.', 'Choose another id.'),
  plugin_read_only: request(409, 'The plugin is defined in the settings file.', 'Change it there and restart SoAI.'),
  plugin_in_use: request(409, 'Models depend on the plugin.', 'Remove them or give them another plugin first.'),
  plugin_busy: request(409, 'The plugin has work.', 'Drain it first: POST /api/v1/plugins/{id}/drain.'),
  plugin_not_usable: request(409, 'The state of the plugin forbids it.', 'GET /api/v1/plugins shows its states.'),
  plugin_settings_invalid: request(
    400,
    'The settings are not what the plugin package asks for.',
    '`settings_schema` of the plugin or package says what it takes.',
  ),
  nothing_to_repair: request(409, 'There is nothing here that a repair could bring back.'),
  package_exists: request(409, 'The plugin package is installed already.'),
  package_in_use: request(409, 'Plugins run this package.', 'Remove them first.'),
  package_invalid: request(400, 'The plugin package can not be used.', 'docs/plugins.md describes what one holds.'),
  quarantined_for_integrity: request(
    409,
    'The files of the plugin are not what was installed: clearing its quarantine would not mend that.',
    'Repair it (POST /api/v1/plugins/{id}/repair) or clone it again; docs/reset-an-open-circuit.md tells how.',
  ),
  task_already_ended: request(409, 'The task has ended already.'),
  request_too_large: request(
    413,
    'The request body is larger than this server accepts.',
    'SERVER.MAX_BODY_BYTES sets the limit, counted after decompression.',
  ),
  unsupported_media_type: request(415, 'The request body must be JSON.', 'Send "Content-Type: application/json".'),
  idempotency_key_reused: request(
    422,
    'This Idempotency-Key was used with another request body.',
    'Use a new key for a new request.',
  ),
  request_header_too_large: request(431, 'The request headers are larger than this server accepts.'),
  malformed_request: request(400, 'The request is not valid HTTP.'),
  client_disconnected: {
    ...server(499, 'The client left before the answer was complete.'),
    type: 'invalid_request_error',
  },

  // Refused before acceptance.
  rate_limit_exceeded: later(429, 1, 'Too many requests.', 'Wait as long as Retry-After says.'),
  queue_full: later(
    503,
    2,
    'The queue is full and no place came free in time.',
    'Try again shortly; MODELS.ROUTING.QUEUE_CAPACITY sets its size.',
  ),
  request_memory_full: later(
    503,
    2,
    'The bodies of unfinished requests fill the memory set aside for them.',
    'Send the request again in a moment; an operator can raise MAX_REQUEST_BYTES_IN_MEMORY.',
  ),
  capacity_exceeded: later(
    503,
    10,
    'The server holds as many unfinished tasks as it may.',
    'MODELS.ROUTING.DURABLE_QUEUE_HARD_LIMIT_TASKS sets the limit.',
  ),
  engine_unavailable: later(
    503,
    5,
    'The workflow engine can not be reached.',
    'It is restarted by itself; /api/v1/system/health says when it is back.',
  ),
  database_busy: later(
    503,
    2,
    'The database did not answer in time.',
    'It is tried again with the next request; check the disk and the log when this lasts.',
  ),
  shutting_down: later(503, 5, 'The server is shutting down.', 'Try again when it is back.'),
  insufficient_storage: server(
    507,
    'The disk that holds the data is nearly full.',
    'Free some space, or lower MODELS.ROUTING.MIN_FREE_DISK_BYTES_FOR_ACCEPT.',
  ),

  // Accepted, but what it needs is not to be had.
  circuit_open: {
    ...server(
      503,
      'The circuit of the plugin is open after repeated failures.',
      'It closes by itself after a successful probe, or is reset by an administrator.',
    ),
    shouldRetry: true,
  },
  backend_quarantined: server(503, 'The plugin is quarantined.', 'An administrator has to clear the quarantine.'),
  plugin_unavailable: server(
    503,
    'The plugin of this model can not take requests.',
    'GET /api/v1/plugins shows its state.',
  ),
  plugin_recovery: {
    ...server(503, 'The plugin is being recovered and its work was purged.', 'Try again when it is back.'),
    transient: true,
    shouldRetry: null,
  },
  backends_on_cooldown: {
    ...server(503, 'Every backend of this model is on cooldown.', 'Try again when it has passed.'),
    transient: true,
    shouldRetry: null,
    retryAfterSec: 15,
  },
  deadline_exceeded: {
    ...server(
      504,
      "The request's deadline passed before it could be answered.",
      'Longer work: stream it or run it in the background.',
    ),
    type: 'timeout_error',
  },

  // The backend's answer.
  upstream_authentication_failed: upstream(
    502,
    'The backend refused the credentials this server has for it.',
    "An administrator has to check the plugin's settings.",
  ),
  upstream_rejected: upstream(502, 'The backend refused the request.'),
  upstream_rate_limited: {
    ...upstream(429, 'The backend limits its rate and did not give way in time.'),
    type: 'rate_limit_error',
  },
  upstream_unavailable: upstream(503, 'The backend can not be reached.', 'GET /api/v1/plugins shows its state.'),
  upstream_error: upstream(502, 'The backend failed.'),
  upstream_timeout: upstream(
    504,
    'The backend did not answer in time.',
    'MODELS.ROUTING.TIMEOUTS sets how long it may take.',
  ),
  bad_upstream_response: upstream(502, 'The backend gave an answer that is not valid.'),
  upstream_stream_interrupted: upstream(502, "The backend's stream broke off before its end."),
  upstream_misconfigured: upstream(
    502,
    'The backend can not be reached as it is configured.',
    "An administrator has to check the plugin's settings.",
  ),
  discovery_failed: upstream(
    502,
    "The plugin's backend does not tell its models.",
    'GET /api/v1/plugins shows its state; a model can be added by its name all the same.',
  ),
  stream_event_too_large: upstream(502, "One event of the backend's stream is larger than 4 MiB."),

  // How an accepted task can end without an answer.
  server_restarted: { ...server(503, 'The server restarted while the task was in flight.'), shouldRetry: null },
  system_memory_exhausted: server(
    503,
    'The system ran out of memory while the task was in flight.',
    'Use a smaller model, context or batch, or less concurrency.',
  ),
  lease_lost: {
    ...server(
      503,
      'This process lost the task to another one.',
      'The stored answer is at /api/v1/tasks/{id}/response.',
    ),
    shouldRetry: null,
  },
  poison_task: server(500, 'The task was given up after its workers died with it repeatedly.'),
  cancelled: server(503, 'The request was cancelled.'),
  cancelled_by_user: server(503, 'The task was cancelled through the management API.'),

  webui_not_built: server(503, 'The WebUI is not built.', 'Run "npm run setup"; the API works without it.'),
  internal_error: server(500, 'Something went wrong in the server.', 'The log has the details under this request id.'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof CATALOGUE;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(CATALOGUE, code);
}

export function entryOf(code: ErrorCode): ErrorEntry {
  return CATALOGUE[code];
}

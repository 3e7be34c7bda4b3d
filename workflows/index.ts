/** Everything a worker may run. */
export { circuitBreaker } from './circuit-breaker';
export { inferenceRequest } from './inference-request';
export { pluginGuardian } from './plugin-guardian';

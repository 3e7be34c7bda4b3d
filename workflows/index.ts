/** Everything a worker may run. */
export { inferenceRequest } from './inference-request';

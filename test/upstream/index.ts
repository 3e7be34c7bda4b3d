/** The fault upstream as suites import it. */
export * from './answers';
export { echoOf, vectorOf } from './default-answers';
export { type Gate, hold } from './gate';
export { gzipOfZeros } from './gzip-bomb';
export type { RecordedRequest } from './request-log';
export type { Answer, Script } from './script';
export { startUpstream, type Upstream } from './upstream';
export * from './wire';

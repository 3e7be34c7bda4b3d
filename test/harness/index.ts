/** The harness as suites import it. */
export * from './client';
export { withSoai, type Fixture } from './fixture';
export * from './plugins';
export { backends, type BackendSettings, merge, type SettingsTree } from './settings';
export { type Soai, startSoai } from './soai';
export * from './sse';
export * from './tasks';

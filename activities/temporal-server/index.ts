export { startEmbeddedTemporal, type EmbeddedTemporalOptions } from './embedded';
export { connectExternal, type ExternalTemporalOptions } from './external';
export { findTemporalBinary, TemporalNotFound, type TemporalBinary } from './binary';
export { untilUp } from './engine-state';

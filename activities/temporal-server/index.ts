export { startEmbeddedTemporal } from './embedded';
export { connectExternal } from './external';
export { untilUp } from './engine-state';

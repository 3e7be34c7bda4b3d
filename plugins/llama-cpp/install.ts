/** What set-up needs of the llama-cpp plugin: its runtime for this host, and a model to begin with. */
export { installRuntime } from './install-runtime';
export { obtainModel, type ModelSource, type ObtainedModel } from './obtain-model';

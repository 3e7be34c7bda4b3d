import type { EmbeddingModel, LanguageModel } from 'ai';

/** How a provider of the AI SDK makes a model of a name. */
export interface Models {
  chat(name: string): LanguageModel;
  /** The protocol has stop sequences and seeds. */
  readonly hasStops: boolean;
  completion(name: string): LanguageModel;
  embedding(name: string): EmbeddingModel;
}

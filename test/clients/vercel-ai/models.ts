import type { EmbeddingModel, LanguageModel } from 'ai';

/** How a provider of the AI SDK makes a model of a name. */
export interface Models {
  chat(name: string): LanguageModel;
  completion(name: string): LanguageModel;
  embedding(name: string): EmbeddingModel;
}

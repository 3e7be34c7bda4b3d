import type { ChatOptions } from './conversation';

const key = 'soai.chat-options';

const fresh: ChatOptions = { model: '', system: '', temperature: null, maxTokens: null };

/** A new chat starts with what the last one used. */
export function rememberedOptions(): ChatOptions {
  try {
    return { ...fresh, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<ChatOptions>) };
  } catch {
    // Blocked or damaged.
    return fresh;
  }
}

export function rememberOptions(options: ChatOptions): void {
  try {
    localStorage.setItem(key, JSON.stringify(options));
  } catch {
    // Storage is blocked: the next chat starts fresh.
  }
}

import { temporaryDirectory } from './adapter-fixture';
import { chat, failure, make, MINUTES, model } from './llama-fixture';

test(
  'F: a model that does not fit is refused before the load, for good, and one that fits is loaded ahead of its call',
  async () => {
    const tight = make({ MEMORY_MARGIN_MIB: 1_000_000_000 }, temporaryDirectory());
    try {
      const refused = await failure(tight.call(chat({ max_tokens: 2 })));
      expect(refused.kind).toBe('configuration');
      expect(refused.message).toMatch(/it needs about \d+ MiB with a context of \d+ tokens, and \d+ MiB are free/);
      expect(tight.loadedModel).toBeNull();
      expect(tight.backend.state).toBe('running');
    } finally {
      await tight.stop();
    }
    const ahead = make({}, temporaryDirectory());
    try {
      await ahead.load!(model, new AbortController().signal);
      expect(ahead.loadedModel).toBe(model);
    } finally {
      await ahead.stop();
    }
  },
  2 * MINUTES,
);

import { z } from 'zod';
import type { WorkerCall } from '../protocol';
import type { LoadedModel } from './loaded-model';
import type { Outcome, Reply } from './reply';
import { contextTooLong, parseBody } from './request-fault';
import { refuseUnsupported } from './sampling-request';

const tokens = z.array(z.int().min(0)).min(1);

const embeddingsRequest = z.object({
  input: z.union(
    [z.string().min(1), z.array(z.string().min(1)).min(1).max(2048), tokens, z.array(tokens).min(1).max(2048)],
    'must be text, tokens, or a list of either',
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
});

/** Contract 4: floats or base64 of little-endian float32, in the order of the inputs. */
export function prepareEmbeddings(
  call: WorkerCall,
): (loaded: LoadedModel, reply: Reply, signal: AbortSignal) => Promise<Outcome> {
  refuseUnsupported(call.body, ['dimensions']);
  const { input, encoding_format: format } = parseBody(embeddingsRequest, call.body);
  return async (loaded, _reply, signal) => {
    const { context, contextSize } = await loaded.embedding();
    const inputs = inputsOf(input);
    let used = 0;
    const data: object[] = [];
    for (const [index, one] of inputs.entries()) {
      signal.throwIfAborted();
      // The engine adds its own first and last token to the array it is given.
      const length = context.calculateInputLength(typeof one === 'string' ? one : [...one]);
      if (length >= contextSize) throw contextTooLong(length, contextSize, 'input');
      used += length;
      const { vector } = await context.getEmbeddingFor(typeof one === 'string' ? one : [...one]);
      data.push({ object: 'embedding', index, embedding: format === 'base64' ? toBase64(vector) : vector });
    }
    return JSON.stringify({
      object: 'list',
      data,
      model: call.model,
      usage: { prompt_tokens: used, total_tokens: used },
    });
  };
}

function inputsOf(input: z.infer<typeof embeddingsRequest>['input']): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as string[] | number[][]);
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
}

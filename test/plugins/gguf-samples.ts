/** GGUF headers to read, made by hand. */
type Entry =
  | readonly ['string', string]
  | readonly ['u32', number]
  | readonly ['u64', number]
  | readonly ['f32', number]
  | readonly ['bool', boolean]
  | readonly ['strings', readonly string[]]
  | readonly ['u32s', readonly number[]];

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const u64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

function encode([kind, value]: Entry): Buffer {
  switch (kind) {
    case 'string':
      return Buffer.concat([u32(8), text(value)]);
    case 'u32':
      return Buffer.concat([u32(4), u32(value)]);
    case 'u64':
      return Buffer.concat([u32(10), u64(value)]);
    case 'f32':
      return Buffer.concat([u32(6), f32(value)]);
    case 'bool':
      return Buffer.concat([u32(7), Buffer.from([value ? 1 : 0])]);
    case 'strings':
      return Buffer.concat([u32(9), u32(8), u64(value.length), ...value.map(text)]);
    case 'u32s':
      return Buffer.concat([u32(9), u32(4), u64(value.length), ...value.map(u32)]);
  }
}

export interface Sample {
  readonly metadata: Readonly<Record<string, Entry>>;
  /** Dimensions of each tensor. */
  readonly tensors?: readonly (readonly number[])[];
  readonly version?: number;
}

/** The header alone, padded to what `ggufFault` holds to be possible. */
export function ggufHeader({ metadata, tensors = [], version = 3 }: Sample): Buffer {
  const pairs = Object.entries(metadata).map(([key, entry]) => Buffer.concat([text(key), encode(entry)]));
  const described = tensors.map((dimensions, index) =>
    Buffer.concat([text(`t${index}`), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(0)]),
  );
  const start = [Buffer.from('GGUF'), u32(version), u64(tensors.length), u64(pairs.length)];
  return Buffer.concat([...start, ...pairs, ...described]);
}

export const CHAT_MODEL: Sample = {
  metadata: {
    'general.architecture': ['string', 'llama'],
    'general.name': ['string', 'Tiny Talker'],
    'general.file_type': ['u32', 15],
    'llama.context_length': ['u64', 8_192],
    'llama.block_count': ['u32', 2],
    'llama.embedding_length': ['u32', 64],
    'llama.attention.head_count': ['u32', 4],
    'llama.attention.head_count_kv': ['u32', 2],
    'llama.rope.freq_base': ['f32', 10_000],
    'tokenizer.ggml.tokens': ['strings', Array.from({ length: 1_000 }, (_, index) => `token${index}`)],
    'tokenizer.ggml.token_type': ['u32s', [1, 2, 3]],
    'tokenizer.chat_template': ['string', '{{ messages }}'],
  },
  tensors: [[64, 32], [32]],
};

export const ENCODER: Sample = {
  metadata: {
    'general.architecture': ['string', 'bert'],
    'bert.context_length': ['u32', 512],
    'bert.attention.causal': ['bool', false],
    'bert.pooling_type': ['u32', 1],
  },
  tensors: [[8, 8]],
};

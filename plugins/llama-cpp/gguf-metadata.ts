/**
 * What a GGUF file says about itself, read from its header alone (format versions 2 and 3, little-endian).
 * Files come from anywhere, so every count is held against the bytes that are there (S7).
 */

export interface GgufMetadata {
  /** e.g. `llama`, `bert`. */
  readonly architecture: string | null;
  readonly name: string | null;
  /** The context it was trained on, in tokens. */
  readonly contextTokens: number | null;
  /** e.g. `Q4_K_M`. */
  readonly quantisation: string | null;
  readonly hasChatTemplate: boolean;
  readonly parameters: number | null;
  /** Numbers that each token of the context keeps in memory, all layers together. */
  readonly cacheValuesPerToken: number | null;
  /** It gives one vector for a text instead of going on with it. */
  readonly isEncoder: boolean;
}

/** Thrown where the bytes given end before the header does. */
export class HeaderIncomplete extends Error {
  override readonly name = 'HeaderIncomplete';
}

export class HeaderInvalid extends Error {
  override readonly name = 'HeaderInvalid';
}

type Value = string | number | boolean | null;

const MOST_PAIRS = 65_536;
const MOST_TENSORS = 1_000_000;
const MOST_DIMENSIONS = 8;
const DEEPEST_ARRAY = 4;

const ARRAY = 9;
const STRING = 8;
const BOOL = 7;
/** Bytes of each value type of fixed size; the codes are the format's. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  [BOOL]: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** `general.file_type`, as llama.cpp numbers it. */
const FILE_TYPES: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  36: 'TQ1_0',
  37: 'TQ2_0',
  38: 'MXFP4',
};

/** @throws HeaderIncomplete when `bytes` end too early, HeaderInvalid when no GGUF header looks like this */
export function parseGguf(bytes: Buffer): GgufMetadata {
  const cursor = new Cursor(bytes);
  if (cursor.bytes(4).toString('latin1') !== 'GGUF') throw new HeaderInvalid('it is no GGUF file');
  const version = cursor.u32();
  if (version < 2 || version > 3) throw new HeaderInvalid(`its GGUF version is ${version}`);
  const tensors = cursor.count(MOST_TENSORS, 'tensors');
  const pairs = cursor.count(MOST_PAIRS, 'metadata entries');
  const values = new Map<string, Value>();
  for (let index = 0; index < pairs; index += 1) {
    const key = cursor.string();
    values.set(key, readValue(cursor, cursor.u32(), 0));
  }
  return describe(values, countParameters(cursor, tensors));
}

function readValue(cursor: Cursor, type: number, depth: number): Value {
  if (type === STRING) return cursor.string();
  if (type === ARRAY) {
    skipArray(cursor, depth);
    return null;
  }
  const size = SIZES[type];
  if (size === undefined) throw new HeaderInvalid(`its header has a value of the unknown type ${type}`);
  return numberOf(cursor.bytes(size), type);
}

function numberOf(bytes: Buffer, type: number): number | boolean {
  if (type === BOOL) return bytes[0] !== 0;
  if (type === 6) return bytes.readFloatLE();
  if (type === 12) return bytes.readDoubleLE();
  if (type === 10) return Number(bytes.readBigUInt64LE());
  if (type === 11) return Number(bytes.readBigInt64LE());
  const signed = type % 2 === 1;
  return signed ? bytes.readIntLE(0, bytes.length) : bytes.readUIntLE(0, bytes.length);
}

/** Vocabularies are long and of no interest here. */
function skipArray(cursor: Cursor, depth: number): void {
  if (depth >= DEEPEST_ARRAY) throw new HeaderInvalid('its header nests lists too deeply');
  const type = cursor.u32();
  const length = cursor.count(Number.MAX_SAFE_INTEGER, 'list entries');
  const size = SIZES[type];
  if (size !== undefined) return cursor.skip(length * size);
  for (let index = 0; index < length; index += 1) {
    if (type === STRING) cursor.skip(cursor.count(Number.MAX_SAFE_INTEGER, 'bytes of text'));
    else readValue(cursor, type, depth + 1);
  }
}

function countParameters(cursor: Cursor, tensors: number): number | null {
  let parameters = 0;
  for (let index = 0; index < tensors; index += 1) {
    cursor.string();
    const dimensions = cursor.u32();
    if (dimensions > MOST_DIMENSIONS) throw new HeaderInvalid('its header describes a tensor of too many dimensions');
    let elements = 1;
    for (let each = 0; each < dimensions; each += 1) elements *= cursor.count(Number.MAX_SAFE_INTEGER, 'elements');
    parameters += elements;
    cursor.skip(4 + 8);
  }
  return tensors > 0 && Number.isSafeInteger(parameters) ? parameters : null;
}

function describe(values: ReadonlyMap<string, Value>, parameters: number | null): GgufMetadata {
  const text = (key: string): string | null => {
    const value = values.get(key);
    return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;
  };
  const whole = (key: string): number | null => {
    const value = values.get(key);
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  const architecture = text('general.architecture');
  const fileType = values.get('general.file_type');
  return {
    architecture,
    name: text('general.name'),
    contextTokens: whole(`${architecture}.context_length`),
    quantisation: typeof fileType === 'number' ? (FILE_TYPES[fileType] ?? null) : null,
    hasChatTemplate: text('tokenizer.chat_template') !== null,
    parameters,
    cacheValuesPerToken: cacheValues(whole, architecture, values),
    isEncoder: values.has(`${architecture}.pooling_type`) || values.get(`${architecture}.attention.causal`) === false,
  };
}

/** Null where the header does not tell, or tells it per layer. */
function cacheValues(
  whole: (key: string) => number | null,
  architecture: string | null,
  values: ReadonlyMap<string, Value>,
): number | null {
  const of = (name: string): number | null => whole(`${architecture}.${name}`);
  const [layers, width, heads] = [of('block_count'), of('embedding_length'), of('attention.head_count')];
  if (layers === null || width === null || heads === null) return null;
  // Absent means that every head has its own; a list, that it differs from layer to layer.
  const own = values.has(`${architecture}.attention.head_count_kv`) ? of('attention.head_count_kv') : heads;
  if (own === null) return null;
  const key = of('attention.key_length') ?? width / heads;
  const value = of('attention.value_length') ?? width / heads;
  const total = layers * own * (key + value);
  return Number.isSafeInteger(Math.ceil(total)) ? Math.ceil(total) : null;
}

class Cursor {
  private offset = 0;

  constructor(private readonly all: Buffer) {}

  bytes(length: number): Buffer {
    const from = this.offset;
    this.skip(length);
    return this.all.subarray(from, from + length);
  }

  skip(length: number): void {
    if (this.offset + length > this.all.length) throw new HeaderIncomplete();
    this.offset += length;
  }

  u32(): number {
    return this.bytes(4).readUInt32LE();
  }

  count(most: number, what: string): number {
    const value = this.bytes(8).readBigUInt64LE();
    if (value > BigInt(most)) throw new HeaderInvalid(`its header promises ${value} ${what}`);
    return Number(value);
  }

  string(): string {
    return this.bytes(this.count(Number.MAX_SAFE_INTEGER, 'bytes of text')).toString('utf8');
  }
}

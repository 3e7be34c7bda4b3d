/**
 * Looks over a JSON text as its bytes arrive, before anything is parsed (S35): nesting, number of
 * members and items, numbers no float can hold, escapes that are not Unicode. One pass, constant
 * memory, no recursion. It does not judge the grammar: JSON.parse does.
 */
export const MAX_DEPTH = 128;
export const MAX_MEMBERS = 100_000;
export const MAX_ITEMS = 1_000_000;

/** Largest decimal exponent of a double. */
const MAX_EXPONENT = 308;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const DOT = 0x2e;
const MINUS = 0x2d;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

type Place = 'value' | 'string' | 'escape' | 'hex' | 'integer' | 'fraction' | 'exponent';

export class JsonScanner {
  private place: Place = 'value';
  private depth = 0;
  private members = 0;
  private items = 0;
  private hexDigits = 0;
  private hexValue = 0;
  /** The first half of a surrogate pair was read; its second half must follow. */
  private halfPair = false;
  private digits = 0;
  private exponent = 0;
  private exponentNegative = false;

  /** What is wrong so far, as a sentence, or null. */
  push(chunk: Uint8Array): string | null {
    let at = 0;
    for (;;) {
      at = this.pastPlainBytes(chunk, at);
      if (at === chunk.length) return null;
      const fault = this.step(chunk[at++]!);
      if (fault !== null) return fault;
    }
  }

  /** Most of a body is text and digits: a tight loop over them makes the scan cheaper than the parse. */
  private pastPlainBytes(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    let at = from;
    if (this.place === 'string') {
      if (this.halfPair) return from;
      for (; at < end; at++) {
        const byte = chunk[at]!;
        if (byte === QUOTE || byte === BACKSLASH) break;
      }
    } else if (this.place === 'integer' || this.place === 'fraction') {
      for (; at < end; at++) {
        const byte = chunk[at]!;
        if (byte < 0x30 || byte > 0x39) break;
      }
      if (this.place === 'integer') this.digits += at - from;
    }
    return at;
  }

  private step(byte: number): string | null {
    switch (this.place) {
      case 'string':
        return this.inString(byte);
      case 'escape':
        return this.inEscape(byte);
      case 'hex':
        return this.inHex(byte);
      default:
        return this.outside(byte);
    }
  }

  private inString(byte: number): string | null {
    if (byte === BACKSLASH) {
      this.place = 'escape';
      return null;
    }
    if (this.halfPair) return LONE_SURROGATE;
    if (byte === QUOTE) this.place = 'value';
    return null;
  }

  private inEscape(byte: number): string | null {
    if (byte === LOWER_U) {
      this.place = 'hex';
      this.hexDigits = 0;
      this.hexValue = 0;
      return null;
    }
    this.place = 'string';
    return this.halfPair ? LONE_SURROGATE : null;
  }

  private inHex(byte: number): string | null {
    this.hexValue = this.hexValue * 16 + hexDigit(byte);
    if (++this.hexDigits < 4) return null;
    this.place = 'string';
    const isHigh = this.hexValue >= 0xd800 && this.hexValue < 0xdc00;
    const isLow = this.hexValue >= 0xdc00 && this.hexValue < 0xe000;
    if (isLow !== this.halfPair) return LONE_SURROGATE;
    this.halfPair = isHigh;
    return null;
  }

  private outside(byte: number): string | null {
    if (isDigit(byte)) return this.inNumber(byte - 0x30);
    if (this.place !== 'value') {
      if (this.digits - 1 > MAX_EXPONENT) return OUT_OF_RANGE;
      if (this.continuesNumber(byte)) return null;
      this.place = 'value';
      this.digits = 0;
    }
    switch (byte) {
      case QUOTE:
        this.place = 'string';
        return null;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        return ++this.depth > MAX_DEPTH ? `is nested more than ${MAX_DEPTH} levels deep` : null;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.depth--;
        return null;
      case COLON:
        return ++this.members > MAX_MEMBERS ? `has more than ${MAX_MEMBERS} object members` : null;
      case COMMA:
        return ++this.items > MAX_ITEMS ? `has more than ${MAX_ITEMS} array items` : null;
      default:
        return null;
    }
  }

  private inNumber(digit: number): string | null {
    if (this.place === 'value') this.place = 'integer';
    if (this.place === 'integer') this.digits++;
    if (this.place === 'exponent') this.exponent = Math.min(this.exponent * 10 + digit, 1e6);
    const size = this.digits - 1 + (this.place === 'exponent' && !this.exponentNegative ? this.exponent : 0);
    return size > MAX_EXPONENT ? OUT_OF_RANGE : null;
  }

  /** A point, an exponent's letter or its sign. */
  private continuesNumber(byte: number): boolean {
    if (byte === DOT && this.place === 'integer') {
      this.place = 'fraction';
      return true;
    }
    if ((byte | 0x20) === 0x65) {
      this.place = 'exponent';
      this.exponent = 0;
      this.exponentNegative = false;
      return true;
    }
    if (this.place !== 'exponent' || (byte !== MINUS && byte !== 0x2b)) return false;
    this.exponentNegative = byte === MINUS;
    return true;
  }
}

const OUT_OF_RANGE = 'holds a number that is out of range';
const LONE_SURROGATE = 'holds half of a surrogate pair, which is not Unicode';

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** 0 for what is no hex digit: JSON.parse will say so. */
function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : 0;
}

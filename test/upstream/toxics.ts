/** What a TCP fault proxy can do to one direction of a connection. All times are milliseconds. */
import { setTimeout as after } from 'node:timers/promises';

/** The proxied connection as a toxic may act on it. */
export interface Link {
  /** Aborted when either end is gone. */
  readonly gone: AbortSignal;
  /** A clean close of both ends. */
  close(): void;
  /** An RST to both ends. */
  reset(): void;
}

/** Turns one stream of reads into the stream of writes that the far end gets. */
export type Toxic = (bytes: AsyncIterable<Buffer>, link: Link) => AsyncIterable<Buffer>;

const sleep = (ms: number, link: Link): Promise<void> =>
  after(ms, undefined, { signal: link.gone }).catch(() => undefined);

/** Each read is handed on `ms` later. */
export const latency = (ms: number): Toxic =>
  async function* (bytes, link) {
    for await (const part of bytes) {
      await sleep(ms, link);
      yield part;
    }
  };

export const bandwidth = (bytesPerSecond: number): Toxic =>
  async function* (bytes, link) {
    const step = Math.max(1, Math.floor(bytesPerSecond / 20));
    for await (const part of bytes) {
      for (let at = 0; at < part.length && !link.gone.aborted; at += step) {
        yield part.subarray(at, at + step);
        await sleep(50, link);
      }
    }
  };

/** The end of the stream reaches the far end `ms` late. */
export const slowClose = (ms: number): Toxic =>
  async function* (bytes, link) {
    yield* bytes;
    await sleep(ms, link);
  };

/** Nothing passes; the connection is closed after `ms`, or never when it is 0. */
export const timeout = (ms: number): Toxic =>
  async function* (bytes, link) {
    if (ms > 0) void sleep(ms, link).then(() => link.close());
    for await (const part of bytes) yield part.subarray(0, 0);
  };

/** An RST `ms` after the first read. */
export const resetPeer = (ms: number): Toxic =>
  async function* (bytes, link) {
    let begun = false;
    for await (const part of bytes) {
      if (!begun) void sleep(ms, link).then(() => link.reset());
      begun = true;
      yield part;
    }
  };

/** Writes of `size` bytes at most, `gapMs` apart. */
export const slicer = (size: number, gapMs = 0): Toxic =>
  async function* (bytes, link) {
    for await (const part of bytes) {
      for (let at = 0; at < part.length; at += size) {
        yield part.subarray(at, at + size);
        await sleep(gapMs, link);
      }
    }
  };

/** A clean close after exactly this many bytes. */
export const limitData = (limit: number): Toxic =>
  async function* (bytes, link) {
    let left = limit;
    for await (const part of bytes) {
      yield part.subarray(0, left);
      left -= Math.min(left, part.length);
      if (left === 0) return link.close();
    }
  };

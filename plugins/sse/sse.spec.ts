import fc from 'fast-check';
import { UpstreamFailure, type StreamEvent } from '../adapter';
import { readEvents } from './read-events';
import { KEEP_ALIVE_COMMENT, formatEvent } from './write-event';

const MIB = 1024 * 1024;
const encode = (text: string): Buffer => Buffer.from(text, 'utf8');

async function* reads(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function read(chunks: Iterable<Uint8Array>, maxLineLength?: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(reads(chunks), maxLineLength)) events.push(event);
  return events;
}

function* bytewise(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
}

const chunk = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const plain = (data: string): StreamEvent => ({ event: null, data });

describe('reading server-sent events', () => {
  test('T01: multibyte text survives one byte a read', async () => {
    const text = '안녕하세요🦀';
    const events = await read(bytewise(encode(formatEvent(chunk(text)) + formatEvent('[DONE]'))));
    expect(events).toEqual([plain(chunk(text)), plain('[DONE]')]);
  });

  test('T02: an event cut at any offset is exactly one event', async () => {
    const bytes = encode(formatEvent(chunk('ab')));
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([plain(chunk('ab'))]);
    }
  });

  test.each([
    ['CRLF', '\r\n'],
    ['lone CR', '\r'],
  ])('T04: %s line ends read like LF, at any cut', async (_name, end) => {
    const bytes = encode(['event: x', 'data: {"a":1}', '', ': note', 'data: [DONE]', '', ''].join(end));
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([
        { event: 'x', data: '{"a":1}' },
        plain('[DONE]'),
      ]);
    }
  });

  test('T05: data: without the blank', async () => {
    expect(await read([encode('data:{"a":1}\n\ndata:[DONE]\n\n')])).toEqual([plain('{"a":1}'), plain('[DONE]')]);
  });

  test('D9: a byte order mark, comments, unknown fields, NUL and several data lines', async () => {
    const bytes = encode('\uFEFF: hi\nid: 7\nretry: 10\nnonsense\nfoo: bar\ndata: a\u0000\ndata:\ndata: b\n\n');
    expect(await read(bytewise(bytes))).toEqual([plain('a\u0000\n\nb')]);
    expect(await read([bytes])).toEqual([plain('a\u0000\n\nb')]);
  });

  test('T07: keep-alive comments dispatch nothing', async () => {
    expect(
      await read([encode(KEEP_ALIVE_COMMENT + formatEvent('1') + KEEP_ALIVE_COMMENT + KEEP_ALIVE_COMMENT)]),
    ).toEqual([plain('1')]);
  });

  test.each([
    ['data: {"a":1}', [plain('{"a":1}')]],
    ['data: {"a":1}\n', [plain('{"a":1}')]],
    ['data: {"a":1}\r', [plain('{"a":1}')]],
    ['event: x\ndata: [DONE]', [{ event: 'x', data: '[DONE]' }]],
    ['data: {"a":', []],
    ['data: 12', []],
    ['data', []],
    ['event: x', []],
    ['', []],
  ])('T23: at the end of input %j gives only what is whole', async (text, expected) => {
    expect(await read([encode(text)])).toEqual(expected);
    expect(await read(bytewise(encode(text)))).toEqual(expected);
  });

  test('a character cut off at the end does not make an event whole', async () => {
    const cut = encode('data: {"a":"é').subarray(0, -1);
    expect(await read([cut])).toEqual([]);
  });

  test('a 3 MiB line arrives whole, even one byte a read, in linear time', async () => {
    const data = JSON.stringify({ image: 'x'.repeat(3 * MIB) });
    const time = async (bytes: Buffer): Promise<number> => {
      const start = process.cpuUsage();
      expect((await read(bytewise(bytes)))[0]?.data.length).toBe(bytes.length - 'data: \n\n'.length);
      const used = process.cpuUsage(start);
      return (used.user + used.system) / 1000;
    };
    const quarter = await time(encode(formatEvent(data.slice(0, data.length / 4))));
    const whole = await time(encode(formatEvent(data)));
    // Four times the input: 4 when linear, 16 when quadratic.
    expect(whole).toBeLessThan(Math.max(quarter, 50) * 10);
  }, 60_000);

  test.each([64, 4096, 65536])(
    'spec K: an endless line is refused with bounded memory, reads of %i bytes',
    async (size) => {
      let sent = 0;
      function* endless(): Generator<Buffer> {
        yield encode('data: {"a":1}\n\ndata: ');
        for (; sent < 64 * MIB; sent += size) yield Buffer.alloc(size, 'x');
      }
      const events: StreamEvent[] = [];
      const reading = (async () => {
        for await (const event of readEvents(reads(endless()))) events.push(event);
      })();
      await expect(reading).rejects.toMatchObject({ name: 'UpstreamFailure', kind: 'oversized' });
      expect(events).toEqual([plain('{"a":1}')]);
      expect(sent).toBeLessThan(4 * MIB + 2 * 65536);
    },
  );

  test('spec K: the cap is the same for every split and counts an event of many lines', async () => {
    const failure = { kind: 'oversized' };
    for (const length of [100, 101]) {
      const bytes = encode(formatEvent('x'.repeat(length)));
      for (let at = 0; at <= bytes.length; at += 1) {
        const reading = read([bytes.subarray(0, at), bytes.subarray(at)], 100);
        if (length <= 100) expect(await reading).toHaveLength(1);
        else await expect(reading).rejects.toMatchObject(failure);
      }
    }
    await expect(read([encode('data: x\n'.repeat(60_000))], 100)).rejects.toMatchObject(failure);
    await expect(read([encode('data: x\n'.repeat(60) + '\n')], 100)).rejects.toBeInstanceOf(UpstreamFailure);
  });

  test('lines that are no field cost no memory and fail nothing', async () => {
    function* page(): Generator<Buffer> {
      yield encode('<html>');
      for (let at = 0; at < 128; at += 1) yield Buffer.alloc(65536, '<');
      yield encode('\ndata: [DONE]\n\n');
    }
    expect(await read(page())).toEqual([plain('[DONE]')]);
  });

  test('a reader that leaves early ends the source', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield encode(formatEvent('1'));
      } finally {
        closed = true;
      }
    }
    for await (const event of readEvents(source())) {
      expect(event).toEqual(plain('1'));
      break;
    }
    expect(closed).toBe(true);
  });
});

describe('writing server-sent events', () => {
  test('contract 3: one event is one string, event first', () => {
    expect(formatEvent('{"a":1}')).toBe('data: {"a":1}\n\n');
    expect(formatEvent('{}', 'response.created')).toBe('event: response.created\ndata: {}\n\n');
    expect(KEEP_ALIVE_COMMENT).toBe(': keep-alive\n');
  });

  test('S28: a payload cannot end its event or start another', async () => {
    const hostile = 'x\n\ndata: [DONE]\n\nevent: error\r\rdata: y';
    expect(await read([encode(formatEvent(hostile, 'a\n\ndata: z'))])).toEqual([
      { event: 'a  data: z', data: hostile.replaceAll('\r', '\n') },
    ]);
  });

  test('T02: what is written is read again, wherever it is cut', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\r', ''));
    const name = fc.option(fc.string({ minLength: 1 }).map((value) => value.replaceAll(/[\r\n]/g, '')));
    const event = fc.record({ event: name.map((value) => value || null), data: text });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), fc.array(fc.nat()), async (events, cuts) => {
        const bytes = encode(events.map((one) => formatEvent(one.data, one.event) + KEEP_ALIVE_COMMENT).join(''));
        const offsets = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const chunks = offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
        expect(await read(chunks)).toEqual(events);
      }),
      { numRuns: 300 },
    );
  });
});

import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { forwardLines } from './log-lines';

async function linesOf(chunks: readonly (string | Buffer)[], now?: () => number): Promise<string[]> {
  const lines: string[] = [];
  const output = new PassThrough();
  forwardLines(output, (line) => lines.push(line), now);
  for (const chunk of chunks) output.write(chunk);
  output.end();
  await finished(output);
  return lines;
}

describe("a child's output", () => {
  test('lines of any ending and cut, the last one without', async () => {
    const bytes = Buffer.from('é');
    expect(await linesOf(['a\nb\r\n\n  \nc', 'd\re', bytes.subarray(0, 1), bytes.subarray(1)])).toEqual([
      'a',
      'b',
      'cd',
      'eé',
    ]);
  });

  test('an endless line is cut and costs no more than its cap', async () => {
    const lines = await linesOf(Array.from({ length: 1000 }, () => 'x'.repeat(10_000)));
    expect(lines).toEqual([`${'x'.repeat(2000)}…`]);
  });

  test('a flood is counted instead of logged', async () => {
    let time = 0;
    const lines = await linesOf([...Array.from({ length: 1000 }, () => 'x\n')], () => (time += 0.1));
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('(800 more lines were not logged)');
  });
});

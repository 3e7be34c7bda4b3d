import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { SecretBox, secretKeyFile, SecretUnreadable } from './secret-box';

const directory = mkdtempSync(path.join(tmpdir(), 'soai-secrets-'));
const file = secretKeyFile(directory);
const box = (): SecretBox => new SecretBox(file);

beforeEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(directory, { recursive: true }));

test('S54: whatever was sealed opens again, also after a restart, and is not in what is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (secret, about) => {
      const sealed = await box().seal(secret, about);
      expect(await box().open(sealed, about)).toBe(secret);
      if (secret.length > 8) expect(sealed).not.toContain(secret);
    }),
    { numRuns: 100 },
  );
});

test('S54: the key file is only for its owner, and many first secrets make one', async () => {
  const sealed = await Promise.all(Array.from({ length: 20 }, (_, index) => box().seal(`s${index}`, 'p')));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const opened = await Promise.all(sealed.map((each) => box().open(each, 'p')));
  expect(opened).toEqual(Array.from({ length: 20 }, (_, index) => `s${index}`));
});

describe('S54: what can not be opened says what to do', () => {
  const failing = async (sealed: string, about = 'p'): Promise<string> => {
    const error: unknown = await box()
      .open(sealed, about)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SecretUnreadable);
    return (error as Error).message;
  };

  test('no key file', async () => {
    const sealed = await box().seal('secret', 'p');
    rmSync(file);
    expect(await failing(sealed)).toBe(`the key file ${file} is missing; restore it or enter the secret again`);
  });

  test('a damaged key file, and another one', async () => {
    const sealed = await box().seal('secret', 'p');
    writeFileSync(file, 'short');
    expect(await failing(sealed)).toContain('is damaged');
    rmSync(file);
    await box().seal('other', 'p');
    expect(await failing(sealed)).toContain('another key');
  });

  test('altered, or put at another place', async () => {
    const sealed = await box().seal('secret', 'p');
    expect(await failing(sealed, 'q')).toContain('altered');
    const flipped = sealed.slice(0, -6) + (sealed.at(-6) === 'A' ? 'B' : 'A') + sealed.slice(-5);
    expect(await failing(flipped)).toContain('altered');
    expect(await failing(`v2${sealed.slice(2)}`)).toContain('newer version');
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
  });
});

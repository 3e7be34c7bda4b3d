/** One upstream and one running SoAI for all tests of a file. */
import { startUpstream, type Upstream } from '../upstream';
import type { SettingsTree } from './settings';
import { type Soai, startSoai } from './soai';

const START_WITHIN_MS = 90_000;
/** Bounds a hang; no test waits for it. */
const TEST_WITHIN_MS = 60_000;

export interface Fixture {
  readonly upstream: Upstream;
  readonly soai: Soai;
}

/** To be called at the top of a file or `describe`; the fields can be read inside tests. */
export function withSoai(settings: (upstream: Upstream) => SettingsTree): Fixture {
  jest.setTimeout(TEST_WITHIN_MS);
  const running: { upstream?: Upstream; soai?: Soai } = {};

  beforeAll(async () => {
    running.upstream = await startUpstream();
    running.soai = await startSoai({ settings: settings(running.upstream) });
  }, START_WITHIN_MS);

  afterAll(async () => {
    await running.soai?.dispose();
    await running.upstream?.close();
    expect(running.upstream?.scriptFaults ?? []).toEqual([]);
  }, START_WITHIN_MS);

  return {
    get upstream() {
      return present(running.upstream);
    },
    get soai() {
      return present(running.soai);
    },
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the fixture is there inside tests only');
  return value;
}

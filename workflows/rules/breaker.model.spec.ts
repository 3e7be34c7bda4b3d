import fc from 'fast-check';
import { CLOSED_BREAKER, passTime, stepBreaker, type BreakerSettings, type BreakerState } from './breaker';

const settings: BreakerSettings = { windowMs: 100, threshold: 3, recoveryMs: 80, probeMs: 30 };

/** Spec E3 and K told as a person would: what is true now, one clock tick at a time. */
interface Model {
  now: number;
  counted: number[];
  forgivenUntil: number;
  /** Ticks left until half-open; null when it is not open. */
  cooling: number | null;
  halfOpen: boolean;
  /** Ticks left for the probe, by token. */
  probe: { token: string; left: number } | null;
  issued: string[];
}

interface Real {
  state: BreakerState;
}

function openModel(model: Model): void {
  model.cooling = settings.recoveryMs;
  model.halfOpen = false;
  model.probe = null;
}

function closeModel(model: Model): void {
  Object.assign(model, { counted: [], cooling: null, halfOpen: false, probe: null, forgivenUntil: model.now });
}

function tickModel(model: Model): void {
  model.now += 1;
  if (model.cooling !== null) {
    model.cooling -= 1;
    if (model.cooling === 0) Object.assign(model, { cooling: null, halfOpen: true });
  } else if (model.probe !== null) {
    model.probe.left -= 1;
    if (model.probe.left === 0) openModel(model);
  }
}

function phaseOf(model: Model): string {
  if (model.halfOpen) return 'half_open';
  return model.cooling === null ? 'closed' : 'open';
}

function summary({ phase, probe, failures }: BreakerState): string {
  return `${phase} ${probe?.token} ${phase === 'closed' ? failures.join() : ''}`;
}

function summaryOfModel(model: Model): string {
  const counted = model.counted.filter((at) => at > model.now - settings.windowMs);
  const phase = phaseOf(model);
  return `${phase} ${model.probe?.token} ${phase === 'closed' ? counted.join() : ''}`;
}

type Act = (model: Model) => Parameters<typeof stepBreaker>[1];

class Step implements fc.Command<Model, Real> {
  constructor(
    private readonly name: string,
    private readonly wait: number,
    private readonly act: Act,
  ) {}

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    for (let tick = 0; tick < this.wait; tick += 1) tickModel(model);
    real.state = passTime(real.state, model.now, settings).state;
    const event = this.act(model);
    real.state = stepBreaker(real.state, event, settings).state;
    // A matcher costs more than all the rest, 100,000 times.
    const [told, expected] = [summary(real.state), summaryOfModel(model)];
    if (told !== expected) expect(told).toBe(expected);
  }

  toString(): string {
    return `${this.name}+${this.wait}`;
  }
}

/** The current token, a spent one, or none. */
type Which = 'current' | 'spent' | 'none';

function tokenOf(model: Model, which: Which): string | null {
  if (which === 'none') return null;
  if (which === 'current' && model.probe) return model.probe.token;
  return model.issued.find((token) => token !== model.probe?.token) ?? null;
}

const failing =
  (which: Which): Act =>
  (model) => {
    const token = tokenOf(model, which);
    if (model.halfOpen) {
      if (token !== null && token === model.probe?.token) openModel(model);
    } else if (token === null && model.now > model.forgivenUntil) {
      if (model.cooling !== null) model.cooling = settings.recoveryMs;
      else {
        model.counted.push(model.now);
        const recent = model.counted.filter((at) => at > model.now - settings.windowMs);
        if (recent.length === settings.threshold) openModel(model);
      }
    }
    return { type: 'failure', at: model.now, token, cause: 'timeout' };
  };

const succeeding =
  (which: Which): Act =>
  (model) => {
    const token = tokenOf(model, which);
    const probed = model.halfOpen && token !== null && token === model.probe?.token;
    const ordinary = phaseOf(model) === 'closed' && token === null;
    if (probed || ordinary) closeModel(model);
    return { type: 'success', at: model.now, token };
  };

const abandoning =
  (which: Which): Act =>
  (model) => {
    const token = tokenOf(model, which);
    if (token !== null && token === model.probe?.token) model.probe = null;
    return { type: 'neutral', at: model.now, token };
  };

const asking: Act = (model) => {
  const token = `t${model.issued.length}`;
  if (model.halfOpen && model.probe === null) {
    model.probe = { token, left: settings.probeMs };
    model.issued.push(token);
  }
  return { type: 'permit', at: model.now, token };
};

const answering: Act = (model) => {
  const token = model.probe?.token ?? 'nobody';
  if (model.probe) model.probe.left = Math.max(model.probe.left, 50);
  return { type: 'answering', at: model.now, token, until: model.now + 50 };
};

const tripping: Act = (model) => {
  openModel(model);
  return { type: 'trip', at: model.now, cause: 'recovery_exhausted' };
};

const resetting: Act = (model) => {
  closeModel(model);
  return { type: 'reset', at: model.now, cause: 'operator' };
};

const wait = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 20, max: 130 }) },
);
const which = fc.constantFrom<Which>('current', 'spent', 'none');
const step = (name: string, act: (which: Which) => Act) =>
  fc.tuple(wait, which).map(([ticks, token]) => new Step(`${name}:${token}`, ticks, act(token)));

const RUNS = 1_000;
const STEPS = 100;

test('E1-E5: over 100,000 steps the rule and a model of the spec never disagree', () => {
  const commands = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: step('fail', failing) },
      { weight: 2, arbitrary: step('succeed', succeeding) },
      { weight: 3, arbitrary: step('abandon', abandoning) },
      { weight: 4, arbitrary: step('ask', () => asking) },
      { weight: 1, arbitrary: step('answering', () => answering) },
      { weight: 1, arbitrary: step('trip', () => tripping) },
      { weight: 1, arbitrary: step('reset', () => resetting) },
    ),
    { minLength: STEPS, maxLength: STEPS },
  );
  let steps = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(commands, (all) => {
      const model: Model = {
        now: 1_000,
        counted: [],
        forgivenUntil: 0,
        cooling: null,
        halfOpen: false,
        probe: null,
        issued: [],
      };
      const real: Real = { state: CLOSED_BREAKER };
      for (const command of all) {
        command.run(model, real);
        steps += 1;
        seen.add(`${phaseOf(model)}${model.probe ? ':probing' : ''}`);
      }
    }),
    { numRuns: RUNS },
  );
  expect(steps).toBeGreaterThanOrEqual(RUNS * STEPS);
  expect([...seen].sort()).toEqual(['closed', 'half_open', 'half_open:probing', 'open']);
}, 60_000);

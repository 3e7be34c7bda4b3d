import { Delivery, type DeliverySink, type TaskFailure } from './delivery';

const servedBy = { modelId: 'm1', pluginId: 'p1' };
const failure: TaskFailure = { code: 'bad_upstream_response', message: 'The backend hung up.' };

class Recorder implements DeliverySink {
  readonly seen: string[] = [];
  admissions = 0;
  admitted(): void {
    this.admissions += 1;
  }
  begin({ modelId }: { modelId: string }): void {
    this.seen.push(`begin ${modelId}`);
  }
  async event(data: string): Promise<void> {
    this.seen.push(data);
  }
  endStream(): void {
    this.seen.push('end');
  }
  json(text: string): void {
    this.seen.push(text);
  }
  fail({ code }: TaskFailure): void {
    this.seen.push(`failed ${code}`);
  }
}

describe('the boundary of what a client was given (C7)', () => {
  test('C7: nothing is given before the first event, and it is given from then on', async () => {
    const delivery = new Delivery(false);
    delivery.attach(new Recorder());
    delivery.begin(servedBy);
    expect(delivery.given).toBe(false);
    await delivery.event('a', null);
    expect(delivery.given).toBe(true);
  });

  test('C7: without a client nothing is ever given, so a run may be repeated', async () => {
    const delivery = new Delivery(false);
    await delivery.event('a', null);
    expect(delivery.given).toBe(false);
  });

  test('O3: a client has one ending, whatever comes after', () => {
    const delivery = new Delivery(false);
    const client = new Recorder();
    delivery.attach(client);
    delivery.json('{}');
    delivery.fail(failure);
    delivery.endStream();
    expect(client.seen).toEqual(['{}']);
  });
});

describe('clients that join the same idempotent request (A9)', () => {
  test("A9, K: each is told once that the request is past the ready queue's door, whenever it joined", () => {
    const delivery = new Delivery(true);
    const [early, late] = [new Recorder(), new Recorder()];
    delivery.attach(early);
    expect(early.admissions).toBe(0);
    delivery.admitted();
    delivery.attach(late);
    expect([early.admissions, late.admissions]).toEqual([1, 1]);
  });

  test('A9: a late client gets everything from the start, then what follows', async () => {
    const delivery = new Delivery(true);
    const first = new Recorder();
    delivery.attach(first);
    delivery.begin(servedBy);
    await delivery.event('a', null);
    const second = new Recorder();
    expect(delivery.attach(second)).toBe(true);
    await delivery.event('b', null);
    delivery.endStream();
    expect(second.seen).toEqual(['begin m1', 'a', 'b', 'end']);
    expect(first.seen).toEqual(second.seen);
  });

  test('A9: a client that comes after the end gets the ending', () => {
    const delivery = new Delivery(true);
    delivery.begin(servedBy);
    delivery.json('{"answer":1}');
    const late = new Recorder();
    expect(delivery.attach(late)).toBe(true);
    expect(late.seen).toEqual(['begin m1', '{"answer":1}']);
  });

  test('A9: a stream whose events were not kept can not be joined half-way', async () => {
    const delivery = new Delivery(false);
    delivery.attach(new Recorder());
    await delivery.event('a', null);
    expect(delivery.attach(new Recorder())).toBe(false);
  });

  test('A9: how many still wait is told as they leave', () => {
    const delivery = new Delivery(true);
    const [one, two] = [new Recorder(), new Recorder()];
    delivery.attach(one);
    delivery.attach(two);
    expect(delivery.detach(one)).toBe(1);
    expect(delivery.detach(two)).toBe(0);
  });

  test('E4: the slowest client sets the pace', async () => {
    const delivery = new Delivery(true);
    const slow = new Recorder();
    let release!: () => void;
    slow.event = () => new Promise((resolve) => (release = resolve));
    delivery.attach(new Recorder());
    delivery.attach(slow);
    let taken = false;
    const writing = delivery.event('a', null).then(() => (taken = true));
    await Promise.resolve();
    expect(taken).toBe(false);
    release();
    await writing;
    expect(taken).toBe(true);
  });
});

describe('a lease lost while clients wait (C1)', () => {
  test('C1: a client that was given nothing follows the run that took over', () => {
    const delivery = new Delivery(false);
    const client = new Recorder();
    delivery.attach(client);
    const followed: DeliverySink[] = [];
    delivery.follow(async (sink) => void followed.push(sink));
    expect(followed).toEqual([client]);
    expect(client.seen).toEqual([]);
  });

  test('C1: a client that was given part of the answer is told in-band', async () => {
    const delivery = new Delivery(false);
    const client = new Recorder();
    delivery.attach(client);
    await delivery.event('a', null);
    delivery.follow(() => Promise.reject(new Error('not to be followed')));
    expect(client.seen).toEqual(['a', 'failed lease_lost']);
  });
});

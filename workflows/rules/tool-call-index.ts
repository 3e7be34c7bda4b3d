/**
 * Gives the tool-call deltas of one choice a steady index and identity (fault D19). Clients gather the
 * pieces of a call by `index`; backends leave it out, or number every call 0.
 *
 * | delta                                              | becomes                                   |
 * |----------------------------------------------------|-------------------------------------------|
 * | index and id consistent                            | unchanged                                 |
 * | no index, an id not seen before                    | the next free index                       |
 * | no index, a known id                               | that call's index                         |
 * | no index, no id                                    | the index of the latest call              |
 * | known index, a new id and a function name          | a new call: the next free index           |
 * | known index, another id, no function name          | the same call: its first id               |
 */
import { isRecord } from './failed-answer';

export class ToolCallIndex {
  /** Id by our index; null while the call has shown none. */
  private readonly ids: (string | null)[] = [];
  /** Our index by the backend's. */
  private readonly ours = new Map<number, number>();
  private latest = 0;

  /** Changes the deltas in place; true when something had to change. */
  normalise(deltas: unknown): boolean {
    if (!Array.isArray(deltas)) return false;
    return deltas.filter(isRecord).reduce((changed, delta) => this.normaliseOne(delta) || changed, false);
  }

  private normaliseOne(delta: Record<string, unknown>): boolean {
    const { index: before, id: idBefore } = delta;
    const index = this.indexOf(delta);
    this.latest = index;
    const known = this.ids[index] ?? null;
    if (known === null) this.ids[index] = text(idBefore);
    else if (text(idBefore) !== null && idBefore !== known) delta['id'] = known;
    if (before !== index) delta['index'] = index;
    return delta['index'] !== before || delta['id'] !== idBefore;
  }

  private indexOf(delta: Record<string, unknown>): number {
    const id = text(delta['id']);
    const theirs = delta['index'];
    if (typeof theirs !== 'number' || !Number.isInteger(theirs) || theirs < 0) {
      if (id === null) return this.latest;
      const known = this.ids.indexOf(id);
      return known >= 0 ? known : this.ids.length;
    }
    const mapped = this.ours.get(theirs);
    const isNewCall = mapped === undefined || this.startsAnother(delta, id, this.ids[mapped] ?? null);
    if (!isNewCall) return mapped;
    const index = mapped === undefined && this.ids[theirs] === undefined ? theirs : this.ids.length;
    this.ours.set(theirs, index);
    return index;
  }

  private startsAnother(delta: Record<string, unknown>, id: string | null, known: string | null): boolean {
    const called = delta['function'];
    return id !== null && known !== null && id !== known && isRecord(called) && text(called['name']) !== null;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

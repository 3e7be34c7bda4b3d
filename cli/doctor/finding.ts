/** What one check of `soai doctor` found. */

export interface Finding {
  readonly check: string;
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
  /** What to do about it; null when there is nothing to do. */
  readonly fix: string | null;
}

export const pass = (check: string, detail: string): Finding => ({ check, result: 'pass', detail, fix: null });
export const warn = (check: string, detail: string, fix: string): Finding => ({ check, result: 'warn', detail, fix });
export const fail = (check: string, detail: string, fix: string): Finding => ({ check, result: 'fail', detail, fix });
export const skip = (check: string, detail: string): Finding => ({ check, result: 'skip', detail, fix: null });

/** A tone is shown as a shape and a colour; the word beside it says the same. */
export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'idle';

export interface StatusWord {
  tone: Tone;
  word: string;
  explanation: string;
}

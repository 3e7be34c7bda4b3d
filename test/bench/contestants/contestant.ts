/** Something that answers the same request, to be measured beside the others. */
export interface Contestant {
  readonly name: string;
  /** Where `/chat/completions` is appended. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  /** The process whose memory is reported. */
  readonly pid: number;
  stop(): Promise<void>;
}

export const MODEL = 'fake';

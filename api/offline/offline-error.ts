/** A refusal of an offline command, with the exit code it ends with. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';

  constructor(
    readonly exitCode: 1 | 2 | 4 | 5,
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

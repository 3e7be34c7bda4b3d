/** Exit codes (spec J) and the error that carries one. */

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  notFound: 5,
  /** Ctrl-C, as shells report it (128 + SIGINT). */
  interrupted: 130,
} as const;

export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly exitCode: number,
    /** Machine-readable; printed with `-o json`. */
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

/** Lets a test decide when an answer goes on. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function hold(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

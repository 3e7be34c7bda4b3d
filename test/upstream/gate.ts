/** Lets a test decide when an answer goes on. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function hold(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

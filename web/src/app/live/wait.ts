/** A wait that can be cut short (`Try now`) or abandoned (abort resolves it too). */
export class Wait {
  private finish: (() => void) | null = null;

  for(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.finish = null;
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      this.finish = end;
      if (signal.aborted) end();
    });
  }

  cutShort(): void {
    this.finish?.();
  }
}

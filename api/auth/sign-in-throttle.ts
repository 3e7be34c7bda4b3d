/** Slows guessing down, per account and address and per address alone (S45). In memory: a restart forgives. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors/app-error';

const WINDOW_SEC = 15 * 60;
const FAILURES_PER_ACCOUNT = 10;
const FAILURES_PER_ADDRESS = 100;

export class SignInThrottle {
  private readonly perAccount = new RateLimiterMemory({ points: FAILURES_PER_ACCOUNT, duration: WINDOW_SEC });
  private readonly perAddress = new RateLimiterMemory({ points: FAILURES_PER_ADDRESS, duration: WINDOW_SEC });

  /** Counts the try before it is judged, so that many at once can't slip through. */
  async count(account: string, address: string): Promise<void> {
    await consume(this.perAddress, address);
    await consume(this.perAccount, pair(account, address));
  }

  async succeeded(account: string, address: string): Promise<void> {
    await this.perAccount.delete(pair(account, address));
    await this.perAddress.reward(address);
  }
}

/** The same account however it is written (S45). */
function pair(account: string, address: string): string {
  return `${account.normalize('NFKC').toLowerCase()} ${address}`;
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new AppError('rate_limit_exceeded', {
      message: 'Too many attempts to sign in; wait before the next one.',
      retryAfterSec: refusal.msBeforeNext / 1_000,
    });
  }
}

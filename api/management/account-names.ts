/** Names of accounts by id. A name is fixed once given, so each is looked up once. */
import type { Accounts } from '../../store/store';

export class AccountNames {
  private readonly names = new Map<string, string>();

  constructor(private readonly accounts: Pick<Accounts, 'get'>) {}

  /** The id itself when the account is gone. */
  async of(accountId: string): Promise<string> {
    const known = this.names.get(accountId);
    if (known !== undefined) return known;
    const account = await this.accounts.get(accountId);
    if (!account) return accountId;
    this.names.set(accountId, account.name);
    return account.name;
  }
}

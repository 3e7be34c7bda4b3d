import { computed, inject, Service, signal } from '@angular/core';
import { ApiProblem } from '../api/api-problem';
import type { Session as SessionBody, SignIn } from '../api/contract';
import { HttpTransport } from '../api/http-transport';
import { SoaiApi } from '../api/soai-api';

export type SessionState =
  { kind: 'unknown' } | { kind: 'out'; expired: boolean } | { kind: 'in'; session: SessionBody };

/** Who is signed in. */
@Service()
export class Session {
  private readonly api = inject(SoaiApi);
  private readonly http = inject(HttpTransport);
  private readonly current = signal<SessionState>({ kind: 'unknown' });

  readonly state = this.current.asReadonly();
  /** Changes only when somebody else signs in, not whenever the session is confirmed. */
  readonly account = computed(
    () => {
      const state = this.current();
      return state.kind === 'in' ? state.session.account : null;
    },
    { equal: (a, b) => a?.id === b?.id && a?.name === b?.name && a?.role === b?.role },
  );

  constructor() {
    this.http.unauthorized.subscribe(() => {
      if (this.current().kind === 'in') this.become({ kind: 'out', expired: true });
    });
  }

  /** Asks the server. Throws when it can't be reached: that says nothing about the session. */
  async load(): Promise<void> {
    try {
      this.become({ kind: 'in', session: await this.api.session() });
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 401)) throw error;
      if (this.current().kind !== 'out') this.become({ kind: 'out', expired: this.current().kind === 'in' });
    }
  }

  async signIn(credentials: SignIn): Promise<void> {
    this.become({ kind: 'in', session: await this.api.signIn(credentials) });
  }

  async signOut(): Promise<void> {
    await this.api.signOut();
    this.become({ kind: 'out', expired: false });
  }

  private become(state: SessionState): void {
    this.http.csrf = state.kind === 'in' ? state.session.csrf : null;
    this.current.set(state);
  }
}

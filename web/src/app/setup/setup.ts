import { Location } from '@angular/common';
import { Component, computed, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { ActivatedRoute, Router, RouterLink } from '@angular/router';
import { asProblem, type ApiProblem } from '../api/api-problem';
import { Session } from '../session/session';
import { EntranceFrame } from '../sign-in/entrance-frame';
import { PasswordField } from '../sign-in/password-field';
import { ProblemNotice } from '../ui/problem-notice';

const shortestPassword = 12;

/** S46: the one-time link printed at the first start makes whoever holds it the administrator. */
@Component({
  selector: 'soai-setup',
  imports: [RouterLink, MatButton, EntranceFrame, PasswordField, ProblemNotice],
  templateUrl: './setup.html',
  styleUrl: './setup.scss',
})
export class Setup {
  private readonly session = inject(Session);
  private readonly router = inject(Router);
  protected readonly token = inject(ActivatedRoute).snapshot.queryParamMap.get('token');

  protected readonly password = signal('');
  protected readonly busy = signal(false);
  protected readonly problem = signal<ApiProblem | null>(null);
  protected readonly missing = computed(() => Math.max(0, shortestPassword - [...this.password()].length));
  protected readonly shortestPassword = shortestPassword;

  constructor() {
    // The token is a secret: out of the address bar, the history and any screenshot at once.
    if (this.token !== null) inject(Location).replaceState('/setup');
  }

  protected async setUp(): Promise<void> {
    const { token } = this;
    if (token === null || this.busy() || this.missing() > 0) return;
    this.busy.set(true);
    this.problem.set(null);
    try {
      await this.session.signIn({ setup_token: token, password: this.password() });
      await this.router.navigateByUrl('/', { replaceUrl: true });
    } catch (error) {
      this.problem.set(asProblem(error));
    } finally {
      this.busy.set(false);
    }
  }
}

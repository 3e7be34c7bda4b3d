import { afterNextRender, Component, computed, type ElementRef, inject, input, signal, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router } from '@angular/router';
import { asProblem, type ApiProblem } from '../api/api-problem';
import { Session } from '../session/session';
import { safeReturn } from '../session/session.guard';
import { ProblemNotice } from '../ui/problem-notice';
import { EntranceFrame } from './entrance-frame';
import { PasswordField } from './password-field';

@Component({
  selector: 'soai-sign-in',
  imports: [MatButton, EntranceFrame, PasswordField, ProblemNotice],
  templateUrl: './sign-in.html',
})
export class SignInPage {
  private readonly session = inject(Session);
  private readonly router = inject(Router);

  /** Where to go on, from the address. */
  readonly return = input<string>();

  protected readonly account = signal('');
  protected readonly password = signal('');
  protected readonly busy = signal(false);
  protected readonly problem = signal<ApiProblem | null>(null);
  protected readonly expired = computed(() => {
    const state = this.session.state();
    return state.kind === 'out' && state.expired;
  });

  private readonly field = viewChild.required<ElementRef<HTMLElement>>('field');

  constructor() {
    // The form is all this page is for.
    afterNextRender({ read: () => this.field().nativeElement.focus() });
  }

  protected async signIn(): Promise<void> {
    if (this.busy()) return;
    this.busy.set(true);
    this.problem.set(null);
    try {
      await this.session.signIn({ account: this.account().trim(), password: this.password() });
      await this.router.navigateByUrl(safeReturn(this.return()), { replaceUrl: true });
    } catch (error) {
      this.problem.set(asProblem(error));
    } finally {
      this.busy.set(false);
    }
  }
}

import { Component, computed, effect, inject, input, resource, signal, untracked, viewChild } from '@angular/core';
import { MatButton, MatIconButton } from '@angular/material/button';
import { MatDialog } from '@angular/material/dialog';
import { Router, RouterLink } from '@angular/router';
import { firstValueFrom } from 'rxjs';
import { asProblem } from '../api/api-problem';
import { ModelApi } from '../api/model-api';
import { EmptyState } from '../ui/empty-state';
import { Icon } from '../ui/icon';
import { ProblemNotice } from '../ui/problem-notice';
import { ChatOptions } from './chat-options';
import { ChatThread } from './chat-thread';
import { Composer } from './composer';
import { ConversationList } from './conversation-list';
import { Conversations } from './conversations';
import { DeleteDialog } from './delete-dialog';
import { Draft } from './draft';
import { ModelPicker } from './model-picker';
import { StickToBottom } from './stick-to-bottom';
import { TurnView } from './turn-view';

@Component({
  selector: 'soai-chat',
  imports: [
    RouterLink,
    MatButton,
    MatIconButton,
    ChatOptions,
    Composer,
    ConversationList,
    EmptyState,
    Icon,
    ModelPicker,
    ProblemNotice,
    StickToBottom,
    TurnView,
  ],
  providers: [ChatThread],
  templateUrl: './chat.html',
  styleUrl: './chat.scss',
})
export class Chat {
  private readonly api = inject(ModelApi);
  private readonly dialog = inject(MatDialog);
  private readonly router = inject(Router);
  private readonly draft = inject(Draft);
  protected readonly conversations = inject(Conversations);
  protected readonly thread = inject(ChatThread);

  /** The conversation, from the address. */
  readonly c = input<string>();

  private readonly composer = viewChild(Composer);
  private readonly stick = viewChild(StickToBottom);
  protected readonly optionsOpen = signal(false);
  protected readonly listOpen = signal(false);

  protected readonly models = resource({ loader: () => this.api.models() });
  protected readonly listed = computed(() => (this.models.hasValue() ? this.models.value() : null));
  protected readonly modelsProblem = computed(() => {
    const error = this.models.error();
    // A loader's rejection may come wrapped.
    return error ? asProblem(error.cause ?? error) : null;
  });
  protected readonly modelGone = computed(() => {
    const listed = this.listed();
    const { model } = this.thread.options();
    return listed !== null && model !== '' && !listed.some(({ id }) => id === model);
  });

  constructor() {
    effect(() => {
      const id = this.c() ?? null;
      untracked(() => this.thread.show(id));
    });
    // A chat that has not begun asks the first model unless another was used before.
    effect(() => {
      const first = this.listed()?.[0];
      const unusable = this.thread.options().model === '' || (this.modelGone() && this.thread.turns().length === 0);
      if (first && unusable) untracked(() => this.thread.setOptions({ model: first.id }));
    });
  }

  protected send(question: string): void {
    const id = this.thread.ask(question);
    this.stick()?.jump();
    if (id !== this.c()) void this.router.navigate([], { queryParams: { c: id }, replaceUrl: true });
  }

  protected edit(): void {
    this.draft.set(this.thread.takeBack());
    this.composer()?.focus();
  }

  protected async remove(id: string): Promise<void> {
    const chat = this.conversations.get(id);
    if (!chat) return;
    const dialog = this.dialog.open(DeleteDialog, { data: chat, maxWidth: '440px' });
    if (!(await firstValueFrom(dialog.afterClosed()))) return;
    this.conversations.remove(id);
    if (id === this.c()) void this.router.navigate(['/chat']);
  }
}

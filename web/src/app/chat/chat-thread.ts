import { computed, inject, Injectable, signal } from '@angular/core';
import { rememberedOptions, rememberOptions } from './chat-options-memory';
import { ChatRuns } from './chat-runs';
import {
  changeTurn,
  isRunning,
  newAnswer,
  newConversation,
  requestFor,
  shownAnswer,
  withAnswer,
  withTurn,
  type ChatOptions,
  type Conversation,
} from './conversation';
import { Conversations } from './conversations';

/** The one conversation on show, and what can be done with it. */
@Injectable()
export class ChatThread {
  private readonly conversations = inject(Conversations);
  private readonly runs = inject(ChatRuns);

  private readonly id = signal<string | null>(null);
  /** Of a chat that has not begun. */
  private readonly fresh = signal<ChatOptions>(rememberedOptions());

  readonly conversation = computed<Conversation | null>(() => {
    const id = this.id();
    return id === null ? null : this.conversations.get(id);
  });
  readonly turns = computed(() => this.conversation()?.turns ?? []);
  readonly options = computed(() => this.conversation()?.options ?? this.fresh());
  private readonly lastTurn = computed(() => this.turns().at(-1));
  private readonly lastAnswer = computed(() => {
    const turn = this.lastTurn();
    return turn && shownAnswer(turn);
  });
  readonly running = computed(() => isRunning(this.lastAnswer()));

  show(id: string | null): void {
    this.id.set(id);
    if (id === null) this.fresh.set(rememberedOptions());
  }

  setOptions(change: Partial<ChatOptions>): void {
    const options = { ...this.options(), ...change };
    rememberOptions(options);
    this.fresh.set(options);
    const id = this.id();
    if (id !== null) this.conversations.change(id, (known) => ({ ...known, options }));
  }

  /** Begins the conversation when there is none yet; answers its id. */
  ask(question: string): string {
    const now = Date.now();
    const known = this.conversation() ?? newConversation(this.options(), now);
    const turn = { id: crypto.randomUUID(), question, answers: [], shown: 0 };
    this.conversations.put(withTurn(known, turn, now));
    this.id.set(known.id);
    this.answer(known.id, turn.id);
    return known.id;
  }

  retry(): void {
    const id = this.id();
    const turn = this.lastTurn();
    if (id !== null && turn && !this.running()) this.answer(id, turn.id);
  }

  /** Takes the last question back, with its answers, and answers its text. */
  takeBack(): string {
    const id = this.id();
    const turn = this.lastTurn();
    if (id === null || !turn || this.running()) return '';
    this.conversations.change(id, (known) => ({ ...known, turns: known.turns.filter((each) => each.id !== turn.id) }));
    return turn.question;
  }

  showVersion(turnId: string, shown: number): void {
    const id = this.id();
    if (id !== null)
      this.conversations.change(id, (known) => changeTurn(known, turnId, (turn) => ({ ...turn, shown })));
  }

  stop(): void {
    const answer = this.lastAnswer();
    if (answer) this.runs.stop(answer.id);
  }

  private answer(id: string, turnId: string): void {
    const answer = newAnswer(this.options().model, Date.now());
    this.conversations.change(id, (known) => withAnswer(known, turnId, answer, Date.now()));
    const conversation = this.conversations.get(id);
    if (conversation) void this.runs.start(id, answer.id, requestFor(conversation, turnId));
  }
}

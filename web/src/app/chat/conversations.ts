import { computed, effect, inject, Service, signal, untracked } from '@angular/core';
import { Session } from '../session/session';
import type { Conversation } from './conversation';
import { loadConversations, removeConversation, saveConversation } from './conversation-storage';

/** Between two saves of an answer that streams. */
const saveEveryMs = 1_000;

/** The conversations of whoever is signed in, kept in this browser. */
@Service()
export class Conversations {
  private readonly session = inject(Session);
  private readonly byId = signal<ReadonlyMap<string, Conversation>>(new Map());
  private readonly unsaved = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private account: string | null = null;

  readonly all = computed(() => [...this.byId().values()].sort((a, b) => b.updatedAt - a.updatedAt));
  /** The browser refused to keep the last change. */
  readonly full = signal(false);

  constructor() {
    effect(() => {
      const account = this.session.account()?.id ?? null;
      untracked(() => this.switchTo(account));
    });
    window.addEventListener('pagehide', () => this.saveNow());
  }

  get(id: string): Conversation | null {
    return this.byId().get(id) ?? null;
  }

  put(conversation: Conversation): void {
    this.byId.update((known) => new Map(known).set(conversation.id, conversation));
    this.unsaved.add(conversation.id);
    this.timer ??= setTimeout(() => this.saveNow(), saveEveryMs);
  }

  change(id: string, change: (conversation: Conversation) => Conversation): void {
    const known = this.get(id);
    if (known) this.put(change(known));
  }

  remove(id: string): void {
    this.unsaved.delete(id);
    this.byId.update((known) => new Map([...known].filter(([each]) => each !== id)));
    if (this.account !== null) removeConversation(this.account, id);
  }

  saveNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const id of this.unsaved) {
      const conversation = this.get(id);
      if (this.account !== null && conversation) this.full.set(!saveConversation(this.account, conversation));
    }
    this.unsaved.clear();
  }

  private switchTo(account: string | null): void {
    if (account === this.account) return;
    this.saveNow();
    this.account = account;
    const kept = account === null ? [] : loadConversations(account);
    this.byId.set(new Map(kept.map((conversation) => [conversation.id, conversation])));
  }
}

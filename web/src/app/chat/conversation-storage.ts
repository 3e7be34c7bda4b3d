import type { Conversation } from './conversation';
import { isRunning } from './conversation';

const prefix = 'soai.chat';
const keptConversations = 50;

/** One key a conversation, so that two open pages don't overwrite each other's. */
const keyOf = (account: string, id: string): string => `${prefix}.${account}.${id}`;

/** Newest first. An answer that was still coming when its page was closed is marked so. */
export function loadConversations(account: string): Conversation[] {
  const found: Conversation[] = [];
  for (const key of keys(account)) {
    const conversation = parse(localStorage.getItem(key));
    if (conversation) found.push(closeRunning(conversation));
  }
  return found.sort((a, b) => b.updatedAt - a.updatedAt);
}

/** False when the browser has no room (or no storage) even after the oldest were let go. */
export function saveConversation(account: string, conversation: Conversation): boolean {
  const text = JSON.stringify(conversation);
  const oldestFirst = loadConversations(account)
    .filter((each) => each.id !== conversation.id)
    .reverse();
  for (const surplus of oldestFirst.splice(0, Math.max(0, oldestFirst.length + 1 - keptConversations))) {
    removeConversation(account, surplus.id);
  }
  for (;;) {
    try {
      localStorage.setItem(keyOf(account, conversation.id), text);
      return true;
    } catch {
      // Full: the oldest makes room.
      const oldest = oldestFirst.shift();
      if (!oldest) return false;
      removeConversation(account, oldest.id);
    }
  }
}

export function removeConversation(account: string, id: string): void {
  try {
    localStorage.removeItem(keyOf(account, id));
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
}

function keys(account: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`${prefix}.${account}.`));
  } catch {
    // Storage is blocked: nothing is kept.
    return [];
  }
}

function parse(text: string | null): Conversation | null {
  try {
    const value = JSON.parse(text ?? 'null') as Conversation | null;
    return value && Array.isArray(value.turns) && typeof value.id === 'string' ? value : null;
  } catch {
    // Not ours, or damaged: passed over.
    return null;
  }
}

function closeRunning(conversation: Conversation): Conversation {
  const turns = conversation.turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      isRunning(answer)
        ? {
            ...answer,
            state: 'failed' as const,
            problem: {
              code: 'page_closed',
              message: 'This page was closed before the answer was complete.',
              hint: null,
              requestId: answer.requestId,
              taskId: answer.taskId,
            },
          }
        : answer,
    ),
  }));
  return { ...conversation, turns };
}

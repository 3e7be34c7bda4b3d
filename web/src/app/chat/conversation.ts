import type { ChatMessage, CompletionRequest } from '../api/model-api';
import type { ShownProblem } from '../ui/problem-notice';

export type AnswerState = 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';

export interface Answer {
  id: string;
  state: AnswerState;
  model: string;
  text: string;
  reasoning: string;
  finishReason: string | null;
  problem: ShownProblem | null;
  servedBy: string | null;
  taskId: string | null;
  requestId: string | null;
  completionTokens: number | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  firstTextAt: number | null;
  finishedAt: number | null;
}

/** A question and every answer it was given; a retry adds one, none is thrown away. */
export interface Turn {
  id: string;
  question: string;
  answers: Answer[];
  /** Index of the answer on show, which is also the one the model is told about. */
  shown: number;
}

export interface ChatOptions {
  model: string;
  system: string;
  /** null leaves it to the backend. */
  temperature: number | null;
  maxTokens: number | null;
}

export interface Conversation {
  id: string;
  title: string;
  options: ChatOptions;
  turns: Turn[];
  updatedAt: number;
}

const longestTitle = 60;

export function newConversation(options: ChatOptions, now: number): Conversation {
  return { id: crypto.randomUUID(), title: 'New chat', options, turns: [], updatedAt: now };
}

/** The first question names the conversation. */
export function titleFrom(question: string): string {
  const line = question.trim().split('\n', 1)[0] ?? '';
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1).trimEnd()}…` : line || 'New chat';
}

export function newAnswer(model: string, now: number): Answer {
  return {
    id: crypto.randomUUID(),
    state: 'waiting',
    model,
    text: '',
    reasoning: '',
    finishReason: null,
    problem: null,
    servedBy: null,
    taskId: null,
    requestId: null,
    completionTokens: null,
    startedAt: now,
    firstTextAt: null,
    finishedAt: null,
  };
}

export function shownAnswer(turn: Turn): Answer | undefined {
  return turn.answers[turn.shown];
}

export function isRunning(answer: Answer | undefined): boolean {
  return answer?.state === 'waiting' || answer?.state === 'streaming';
}

export function withTurn(conversation: Conversation, turn: Turn, now: number): Conversation {
  const title = conversation.turns.length === 0 ? titleFrom(turn.question) : conversation.title;
  return { ...conversation, title, turns: [...conversation.turns, turn], updatedAt: now };
}

/** A further answer to a turn, put on show. */
export function withAnswer(conversation: Conversation, turnId: string, answer: Answer, now: number): Conversation {
  return changeTurn({ ...conversation, updatedAt: now }, turnId, (turn) => ({
    ...turn,
    answers: [...turn.answers, answer],
    shown: turn.answers.length,
  }));
}

export function changeTurn(conversation: Conversation, turnId: string, change: (turn: Turn) => Turn): Conversation {
  return { ...conversation, turns: conversation.turns.map((turn) => (turn.id === turnId ? change(turn) : turn)) };
}

export function changeAnswer(
  conversation: Conversation,
  answerId: string,
  change: (answer: Answer) => Answer,
): Conversation {
  return {
    ...conversation,
    turns: conversation.turns.map((turn) =>
      turn.answers.some((answer) => answer.id === answerId)
        ? { ...turn, answers: turn.answers.map((answer) => (answer.id === answerId ? change(answer) : answer)) }
        : turn,
    ),
  };
}

/**
 * What is sent to answer a turn: everything before it that was answered. Unanswered questions are
 * left out, since many models insist on question and answer taking turns.
 */
export function requestFor(conversation: Conversation, turnId: string): CompletionRequest {
  const { model, system, temperature, maxTokens } = conversation.options;
  const at = conversation.turns.findIndex((turn) => turn.id === turnId);
  const messages: ChatMessage[] = system.trim() ? [{ role: 'system', content: system }] : [];
  for (const turn of conversation.turns.slice(0, at)) {
    const answer = shownAnswer(turn)?.text;
    if (answer) messages.push({ role: 'user', content: turn.question }, { role: 'assistant', content: answer });
  }
  messages.push({ role: 'user', content: conversation.turns[at]?.question ?? '' });
  return {
    model,
    messages,
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
  };
}

import type { Attempt, TaskDetail } from '../api/contract';
import { duration } from '../ui/duration';
import { attemptOutcomes, isEnded, taskStates } from '../words/task-words';
import type { Tone } from '../words/tone';

export interface TimelineEntry {
  tone: Tone;
  title: string;
  /** The outcome's own word, when the title doesn't say it. */
  word: string | null;
  /** Milliseconds since the epoch; null when it is still to come. */
  at: number | null;
  lines: string[];
  code: string | null;
}

/** The task's story: accepted, waited, each attempt with what came of it, the end. */
export function timeline(task: TaskDetail): TimelineEntry[] {
  const attempts = [...task.attempts].sort((a, b) => a.started_at - b.started_at);
  return [accepted(task), ...waited(task, attempts[0]), ...attempts.map(attempted), ...ending(task)];
}

function accepted(task: TaskDetail): TimelineEntry {
  const how = [task.stream ? 'streamed' : 'in one piece', task.background ? 'in the background' : null]
    .filter(Boolean)
    .join(', ');
  return entry('ok', 'Accepted', task.accepted_at, [`Priority ${task.priority}, answer ${how}`]);
}

function waited(task: TaskDetail, first: Attempt | undefined): TimelineEntry[] {
  if (task.state === 'deferred')
    return [entry('warn', 'Deferred', null, [task.message ?? taskStates.deferred.explanation])];
  if (task.state === 'queued' && !first) {
    const position = task.queue_position;
    const line = position === null ? 'For a free slot' : position === 0 ? 'Next in line' : `${position} before it`;
    return [entry('info', 'Waiting', null, [line])];
  }
  if (task.queue_ms === null) return [];
  return [entry('ok', `Waited ${duration(task.queue_ms)}`, task.accepted_at + task.queue_ms, [])];
}

function attempted(attempt: Attempt): TimelineEntry {
  const outcome = attemptOutcomes[attempt.outcome];
  const where = attempt.model === attempt.plugin ? attempt.plugin : `${attempt.model} on ${attempt.plugin}`;
  const took = attempt.finished_at === null ? null : `Took ${duration(attempt.finished_at - attempt.started_at)}`;
  const status = attempt.http_status === null ? null : `HTTP ${attempt.http_status}`;
  const facts = [took, status].filter((fact) => fact !== null).join(', ');
  const next = attempt.retry_delay_ms === null ? null : `Next try after ${duration(attempt.retry_delay_ms)}`;
  return {
    tone: outcome.tone,
    title: `Attempt ${attempt.number}: ${where}`,
    word: outcome.word,
    at: attempt.started_at,
    lines: [facts, attempt.message, next].filter((line): line is string => Boolean(line)),
    code: attempt.code,
  };
}

function ending(task: TaskDetail): TimelineEntry[] {
  if (!isEnded(task.state)) return [];
  const { tone, word } = taskStates[task.state];
  const total = task.finished_at === null ? [] : [`${duration(task.finished_at - task.accepted_at)} in all`];
  const takeovers =
    task.takeovers > 0 ? [`Taken over ${task.takeovers === 1 ? 'once' : `${task.takeovers} times`}`] : [];
  const told = task.message ? [task.message] : [];
  return [{ ...entry(tone, word, task.finished_at, [...told, ...total, ...takeovers]), code: task.reason }];
}

function entry(tone: Tone, title: string, at: number | null, lines: string[]): TimelineEntry {
  return { tone, title, word: null, at, lines, code: null };
}

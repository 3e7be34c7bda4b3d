import { Component, ElementRef, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Task } from '../api/contract';
import { Ago } from '../ui/ago';
import { duration } from '../ui/duration';
import { Status } from '../ui/status';
import { operations, taskStates } from '../words/task-words';

/** Tasks as rows; what a narrow place has no room for is on the task's own page. */
@Component({
  selector: 'soai-task-table',
  imports: [RouterLink, Ago, Status],
  templateUrl: './task-table.html',
  styleUrl: './task-table.scss',
})
export class TaskTable {
  private readonly host = inject<ElementRef<HTMLElement>>(ElementRef);

  readonly tasks = input.required<readonly Task[]>();
  readonly caption = input.required<string>();

  protected readonly states = taskStates;
  protected readonly operations = operations;

  protected took(task: Task): string {
    if (task.started_at === null || task.finished_at === null) return '–';
    return duration(task.finished_at - task.started_at);
  }

  protected waited(task: Task): string {
    return task.queue_ms === null ? '–' : duration(task.queue_ms);
  }

  /** Arrow keys walk the rows; Enter opens, as on any link. */
  protected walk(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = [...this.host.nativeElement.querySelectorAll<HTMLElement>('a.open')];
    const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}

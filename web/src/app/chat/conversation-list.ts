import { Component, inject, input, output } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Ago } from '../ui/ago';
import { Icon } from '../ui/icon';
import { Conversations } from './conversations';

@Component({
  selector: 'soai-conversation-list',
  imports: [RouterLink, Ago, Icon],
  template: `
    <ul>
      @for (each of conversations.all(); track each.id) {
        <li [class.current]="each.id === current()">
          <a
            routerLink="/chat"
            [queryParams]="{ c: each.id }"
            [attr.aria-current]="each.id === current() ? 'true' : null"
            (click)="chosen.emit()"
          >
            <span class="title">{{ each.title }}</span>
            <span class="small muted"><soai-ago [at]="each.updatedAt" /></span>
          </a>
          <button
            type="button"
            [attr.aria-label]="'Delete the chat “' + each.title + '”'"
            (click)="removed.emit(each.id)"
          >
            <soai-icon name="trash" />
          </button>
        </li>
      } @empty {
        <li class="muted small empty">Your chats will be listed here. They are kept in this browser only.</li>
      }
    </ul>
  `,
  styleUrl: './conversation-list.scss',
})
export class ConversationList {
  protected readonly conversations = inject(Conversations);
  readonly current = input.required<string | null>();
  readonly chosen = output<void>();
  readonly removed = output<string>();
}

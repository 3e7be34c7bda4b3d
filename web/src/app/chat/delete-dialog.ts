import { Component, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import {
  MAT_DIALOG_DATA,
  MatDialogActions,
  MatDialogClose,
  MatDialogContent,
  MatDialogTitle,
} from '@angular/material/dialog';
import type { Conversation } from './conversation';

@Component({
  selector: 'soai-delete-dialog',
  imports: [MatButton, MatDialogActions, MatDialogClose, MatDialogContent, MatDialogTitle],
  template: `
    <h2 mat-dialog-title>Delete this chat?</h2>
    <mat-dialog-content>
      “{{ chat.title }}”, {{ chat.turns.length }} {{ chat.turns.length === 1 ? 'question' : 'questions' }} with their
      answers, goes from this browser. The tasks behind it stay on the server.
    </mat-dialog-content>
    <mat-dialog-actions align="end">
      <button matButton type="button" [mat-dialog-close]="false">Keep</button>
      <button matButton="filled" type="button" [mat-dialog-close]="true">Delete</button>
    </mat-dialog-actions>
  `,
})
export class DeleteDialog {
  protected readonly chat = inject<Conversation>(MAT_DIALOG_DATA);
}

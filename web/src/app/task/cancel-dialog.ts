import { Component, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import {
  MAT_DIALOG_DATA,
  MatDialogActions,
  MatDialogClose,
  MatDialogContent,
  MatDialogTitle,
} from '@angular/material/dialog';
import type { Task } from '../api/contract';

/** Names what goes and what stays. */
@Component({
  selector: 'soai-cancel-dialog',
  imports: [MatButton, MatDialogActions, MatDialogClose, MatDialogContent, MatDialogTitle],
  template: `
    <h2 mat-dialog-title>Cancel this task?</h2>
    <mat-dialog-content>
      <p>
        The request to <strong>{{ task.model }}</strong> from <strong>{{ task.account }}</strong> stops, and whoever
        waits for its answer is told that it was cancelled. This can’t be undone.
      </p>
      <p>Its record, with every attempt so far, stays.</p>
    </mat-dialog-content>
    <mat-dialog-actions align="end">
      <button matButton type="button" [mat-dialog-close]="false">Keep it running</button>
      <button matButton="filled" type="button" [mat-dialog-close]="true">Cancel the task</button>
    </mat-dialog-actions>
  `,
  styles: `
    p + p {
      margin-top: 10px;
    }
  `,
})
export class CancelDialog {
  protected readonly task = inject<Task>(MAT_DIALOG_DATA);
}

import { Component } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';

@Component({
  selector: 'soai-not-found',
  imports: [RouterLink, MatButton],
  template: `
    <div class="page">
      <h1 tabindex="-1">There is no such page</h1>
      <p>The address may be mistyped, or the page may have moved.</p>
      <p><a matButton="filled" routerLink="/">To the dashboard</a></p>
    </div>
  `,
})
export class NotFound {}

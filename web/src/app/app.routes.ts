import type { Routes } from '@angular/router';
import { signedIn } from './session/session.guard';

export const routes: Routes = [
  { path: 'setup', title: 'Set up', loadComponent: () => import('./setup/setup').then((m) => m.Setup) },
  { path: 'sign-in', title: 'Sign in', loadComponent: () => import('./sign-in/sign-in').then((m) => m.SignInPage) },
  {
    path: '',
    canActivate: [signedIn],
    loadComponent: () => import('./shell/shell').then((m) => m.Shell),
    children: [
      {
        path: '',
        pathMatch: 'full',
        title: 'Dashboard',
        loadComponent: () => import('./dashboard/dashboard').then((m) => m.Dashboard),
      },
      { path: 'chat', title: 'Chat', loadComponent: () => import('./chat/chat').then((m) => m.Chat) },
      { path: 'tasks', title: 'Tasks', loadComponent: () => import('./tasks/tasks').then((m) => m.Tasks) },
      { path: 'tasks/:id', title: 'Task', loadComponent: () => import('./task/task-page').then((m) => m.TaskPage) },
      {
        path: '**',
        title: 'Page not found',
        loadComponent: () => import('./not-found/not-found').then((m) => m.NotFound),
      },
    ],
  },
];

import { z } from 'zod';
import { section, setting } from '../setting';

export const log = section('Logging. Prompts, answers and secrets are never logged.', {
  LEVEL: setting(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'), {
    description: 'Least severe entry that is written.',
  }),
  FORMAT: setting(z.enum(['auto', 'json', 'text']).default('auto'), {
    description: 'json: one object a line. text: for people. auto: text on a terminal, json elsewhere.',
  }),
});

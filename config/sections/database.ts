import { z } from 'zod';
import { section, setting } from '../setting';

const postgresUrl = z
  .string()
  .refine((value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value), 'must be a postgres:// URL');

export const database = section('The database, which holds every task, prompt and answer.', {
  TYPE: setting(z.enum(['sqlite', 'postgres']).default('sqlite'), {
    description: 'sqlite keeps one file in SYSTEM_DATA. postgres is for several SoAI processes on one database.',
  }),
  URL: setting(postgresUrl.nullable().default(null), {
    description: 'Connection URL, postgres://user:password@host:port/name. Only with TYPE postgres.',
    secret: true,
  }),
});

import { z } from 'zod';
import { section, setting } from '../setting';

export const temporal = section('The workflow engine.', {
  ADDRESS: setting(
    z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):\d{1,5}$/, 'must be HOST:PORT')
      .nullable()
      .default(null),
    { description: 'HOST:PORT of a Temporal server of your own. null runs the embedded one on loopback.' },
  ),
  NAMESPACE: setting(
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,255}$/, 'must be a Temporal namespace name')
      .default('soai'),
    {
      description: 'Temporal namespace of the workflows. The embedded server creates it.',
    },
  ),
  BINARY: setting(z.string().min(1).nullable().default(null), {
    description:
      'Path of the `temporal` program for the embedded server. null: the one on PATH, else the cached build.',
  }),
});

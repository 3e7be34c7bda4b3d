import { z } from 'zod';
import { section, setting } from '../setting';

export const system = section('Where SoAI keeps its own state.', {
  PATHS: section('Directories.', {
    SYSTEM_DATA: setting(z.string().min(1).nullable().default(null), {
      description:
        'Directory of the database, the embedded Temporal server, downloaded models and the run files. ' +
        'A relative path counts from the settings file. null means $XDG_DATA_HOME/soai.',
    }),
  }),
});

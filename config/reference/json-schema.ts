/** `config/soai.schema.json`: for editors, which complete and check a settings file with it. */
import { z } from 'zod';
import { settingsSchema } from '../schema';

export function jsonSchema(): Record<string, unknown> {
  // 'input': what a file may say, where everything with a default may be left out.
  return { ...z.toJSONSchema(settingsSchema, { io: 'input' }), title: 'Settings of SoAI' };
}

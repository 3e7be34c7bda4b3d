/** Rewrites the generated documents: `node dist/api/reference/generate.js [ROOT]`. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generatedFiles } from './generated-files';

const root = resolve(process.argv[2] ?? '.');
for (const [path, content] of Object.entries(generatedFiles())) {
  writeFileSync(join(root, path), content);
  process.stdout.write(`${path}\n`);
}

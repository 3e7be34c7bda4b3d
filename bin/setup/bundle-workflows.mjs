// Bundles the workflows ahead of time, so that no start has to run webpack: dist/workflow-bundle.js
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inRoot } from './paths.mjs';

const { bundleWorkflowCode } = createRequire(import.meta.url)('@temporalio/worker');

const { code } = await bundleWorkflowCode({ workflowsPath: inRoot('dist', 'workflows', 'index.js') });
writeFileSync(inRoot('dist', 'workflow-bundle.js'), code);

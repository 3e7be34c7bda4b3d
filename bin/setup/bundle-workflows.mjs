// Bundles the workflows ahead of time, so that no start has to run webpack: dist/workflow-bundle.js
import { writeFileSync } from 'node:fs';
import { bundleWorkflowCode } from '@temporalio/worker';
import { inRoot } from './paths.mjs';

const { code } = await bundleWorkflowCode({ workflowsPath: inRoot('dist', 'workflows', 'index.js') });
writeFileSync(inRoot('dist', 'workflow-bundle.js'), code);

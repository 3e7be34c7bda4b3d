import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  rule: string;
  impact: string | null;
  where: string[];
  why: string;
}

/** Over the debugger, past the page's policy, which stays in force for the page itself. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** What axe finds on the page as it stands. */
export async function findings(page: Page): Promise<Finding[]> {
  // A half-faded colour has a contrast of its own.
  const root = page.locator('html');
  await root.evaluate(async ({ ownerDocument }) => {
    for (const each of ownerDocument.getAnimations()) each.finish();
  });
  const results = await root.evaluate(async ({ ownerDocument }) => {
    const { axe: engine } = globalThis as unknown as { axe: typeof axe };
    return await engine.run(ownerDocument, { resultTypes: ['violations'] });
  });
  return results.violations.map((each) => ({
    rule: each.id,
    impact: each.impact ?? null,
    where: each.nodes.map((node) => node.html),
    why: each.nodes[0]?.failureSummary ?? each.help,
  }));
}

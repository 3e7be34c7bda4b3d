/**
 * Wakes requests that wait for a slot at a place that has just gone out of use, so that they look for another
 * one, or end, at once and not when their turn comes (spec E, G17); and those that are parked at a circuit as
 * soon as it closes.
 */
import type { Catalogue } from './catalogue';
import type { Circuits } from './circuits';
import type { PluginHost } from './plugin-host';
import { standingProblem } from './plugin-problem';
import type { RequestDispatcher } from './request-dispatcher';
import type { Router } from './router';
import type { Run, Runs } from './runs';

interface Sources {
  readonly runs: Runs;
  readonly catalogue: Catalogue;
  readonly plugins: PluginHost;
  readonly circuits: Circuits;
  readonly router: Router;
  readonly dispatcher: () => Pick<RequestDispatcher, 'wakeParked'>;
}

export function replanWaitingRuns({ runs, catalogue, plugins, circuits, router, dispatcher }: Sources): void {
  const wake = (affected: (run: Run, target: NonNullable<Run['target']>) => boolean): void => {
    for (const run of runs.all()) {
      if (run.phase === 'queued' && run.target && affected(run, run.target)) run.interrupt();
    }
  };

  circuits.onChange((pluginId, { state }) => {
    if (state !== 'closed') wake((_run, target) => target.pluginId === pluginId);
    else void dispatcher().wakeParked(pluginId);
  });
  plugins.onChange((plugin) => {
    if (standingProblem(plugin, plugin.id)) wake((_run, target) => target.pluginId === plugin.id);
  });
  catalogue.onChange(() => wake((_run, { modelId }) => catalogue.find(modelId)?.enabled !== true));
  // Cooldowns belong to members of virtual models (K): a plain model's requests stay where they are.
  router.onCooldown((failed) => wake(({ facts }, { modelId }) => facts.virtual !== null && modelId === failed));
}

import type { Plugin } from '../contract/management';
import { aPlugin } from '../../test/api/api-under-test';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { pluginHealthRoutes } from './plugin-health';

/** The routes over one plugin whose quarantine is as given; `done` is what reached it. */
function over(quarantine: Plugin['quarantine']['state']) {
  const done: string[] = [];
  const plugin = { ...aPlugin('p1'), quarantine: { state: quarantine, reason: null, since: null } };
  const routes = pluginHealthRoutes({
    pluginViews: { plugins: () => [plugin] } as unknown as ApiDeps['pluginViews'],
    pluginHealth: {
      resetCircuit: async (id) => void done.push(`reset ${id}`),
      clearQuarantine: async (id) => void done.push(`clear ${id}`),
    },
  } as Partial<ApiDeps> as ApiDeps);
  const ask = async (path: string, id = 'p1'): Promise<unknown> => {
    const found = routes.find((each) => each.path === `/plugins/{id}${path}`)!;
    return found.handler({ params: { id } } as never);
  };
  return { done, ask };
}

const refusal = (error: unknown): unknown => (error instanceof AppError ? error.code : error);

test('E5: a reset reaches the circuit, and answers with the plugin', async () => {
  const { done, ask } = over('quarantined');
  await expect(ask('/circuit/reset')).resolves.toMatchObject({ id: 'p1' });
  expect(done).toEqual(['reset p1']);
});

test('F6: an ordinary quarantine is cleared; where there is none nothing is done', async () => {
  const quarantined = over('quarantined');
  await quarantined.ask('/quarantine/clear');
  expect(quarantined.done).toEqual(['clear p1']);
  const well = over('none');
  await expect(well.ask('/quarantine/clear')).resolves.toMatchObject({ id: 'p1' });
  expect(well.done).toEqual([]);
});

test('F6: a quarantine for integrity is not cleared, and the refusal says what to do', async () => {
  const { done, ask } = over('integrity');
  const error = await ask('/quarantine/clear').catch((thrown: unknown) => thrown);
  expect(refusal(error)).toBe('quarantined_for_integrity');
  expect(done).toEqual([]);
});

test.each(['/circuit/reset', '/quarantine/clear'])('J: %s of a plugin that is not there is a 404', async (path) => {
  const error = await over('none')
    .ask(path, 'nope')
    .catch((thrown: unknown) => thrown);
  expect(refusal(error)).toBe('plugin_not_found');
});

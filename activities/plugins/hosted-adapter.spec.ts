import type { Adapter, ModelFiles } from '../../plugins/adapter';
import { HostedAdapter } from './hosted-adapter';

test('H: the model files of a local plugin are reached through its host', () => {
  const files = { directory: '/models' } as ModelFiles;
  expect(new HostedAdapter({ files } as Adapter, () => null).files).toBe(files);
  expect(new HostedAdapter({} as Adapter, () => null).files).toBeUndefined();
});

import { childEnvironment } from './child-environment';

test('S48: a child inherits what it needs to run and none of our secrets', () => {
  const from = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    CUDA_VISIBLE_DEVICES: '0',
    https_proxy: 'http://proxy',
    DATABASE_URL: 'secret',
    SOAI__DATABASE__URL: 'secret',
    OPENAI_API_KEY: 'secret',
    NODE_OPTIONS: '--require x',
    LD_PRELOAD: 'x.so',
    npm_config_registry: 'x',
    UNSET: undefined,
  };
  expect(childEnvironment({ HOME: '/own' }, from)).toEqual({
    PATH: '/bin',
    HOME: '/own',
    LC_ALL: 'C',
    CUDA_VISIBLE_DEVICES: '0',
    https_proxy: 'http://proxy',
  });
});

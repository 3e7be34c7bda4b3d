// ESM-only packages that Jest must transpile (it has no require(esm)).
const esmOnly = [
  ...['eventsource-parser', 'openid-client', 'oauth4webapi', 'jose', 'marked'],
  // The clients that test/clients holds the product against.
  ...['ai', '@ai-sdk', '@workflow', '@vercel', 'zod'],
];

/** @param {string} name @param {string[]} testMatch */
const project = (name, testMatch) => ({
  displayName: name,
  rootDir: __dirname,
  testEnvironment: 'node',
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/web/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/tsconfig.json', diagnostics: false }],
    '^.+\\.m?js$': [
      'ts-jest',
      { tsconfig: { allowJs: true, module: 'commonjs', isolatedModules: true }, diagnostics: false },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
});

module.exports = {
  projects: [
    project('unit', ['<rootDir>/{config,workflows,store,plugins,activities,api,cli,bin}/**/*.spec.ts']),
    project('integration', ['<rootDir>/test/**/*.spec.ts']),
  ],
};

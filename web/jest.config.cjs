const { createCjsPreset } = require('jest-preset-angular/presets');

/** ESM-only packages Jest must transpile, beside the `.mjs` ones of Angular. */
const esmOnly = ['eventsource-parser', 'marked'];

module.exports = {
  ...createCjsPreset({ tsconfig: '<rootDir>/tsconfig.spec.json' }),
  displayName: 'web',
  rootDir: __dirname,
  testEnvironment: '<rootDir>/jest.environment.cjs',
  setupFilesAfterEnv: ['<rootDir>/jest.setup.ts'],
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.angular/'],
  transformIgnorePatterns: [`/node_modules/(?!(.*\\.mjs$|@angular/common/locales/.*\\.js$|(${esmOnly.join('|')})/))`],
};

import angular from 'angular-eslint';
import tseslint from 'typescript-eslint';

const SERVER = ['{config,workflows,store,plugins,activities,api,cli,test}/**/*.ts'];
const WORKFLOWS = ['workflows/**/*.ts'];
const SPECS = ['**/*.spec.ts', 'test/**/*.ts', 'web/src/testing/**/*.ts', 'web/jest.setup.ts'];
const WEB = ['web/**/*.ts'];

const BANNED = [
  { selector: 'ExportDefaultDeclaration', message: 'Export by name, so that a thing has one name everywhere.' },
  {
    selector: 'Identifier[name=/^bypassSecurityTrust/]',
    message: "Angular's sanitiser is the last line against stored scripts: give it plain values.",
  },
];

/** Replayed code: the same history must make the same decisions, so these are arguments or the SDK's. */
const BANNED_IN_WORKFLOWS = [
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'The time is an argument.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The time is an argument.' },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'Randomness is an argument.' },
];
const NOT_IN_WORKFLOWS = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'crypto',
  'performance',
];
const NOT_IN_THE_SANDBOX = ['process', 'Buffer', 'WeakRef', 'FinalizationRegistry'];

/** What a linter can know without types, and would be a fault anywhere. */
const everywhere = {
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-console': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'object-shorthand': 'error',
  'no-restricted-syntax': ['error', ...BANNED],
};

const typed = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/prefer-promise-reject-errors': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/no-unnecessary-type-assertion': 'error',
  '@typescript-eslint/no-deprecated': 'error',
  '@typescript-eslint/no-for-in-array': 'error',
  '@typescript-eslint/no-base-to-string': 'error',
  '@typescript-eslint/restrict-plus-operands': 'error',
};

const untyped = {
  // `process.env['NAME']` and non-null assertions after a check that the compiler can't follow are fine.
  '@typescript-eslint/no-non-null-assertion': 'off',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
  '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
  '@typescript-eslint/no-invalid-void-type': 'off',
  '@typescript-eslint/no-dynamic-delete': 'off',
  '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
};

export default tseslint.config(
  { ignores: ['dist/', '**/node_modules/', 'coverage/', 'data/', '**/.angular/'] },
  {
    files: [...SERVER, ...WEB],
    extends: [...tseslint.configs.strict],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { ...everywhere, ...untyped, ...typed },
  },
  { files: ['bin/**/*.mjs'], rules: everywhere },
  {
    files: WORKFLOWS,
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...NOT_IN_WORKFLOWS.map((name) => ({ name, message: 'Workflows wait and act by the SDK; rules do neither.' })),
        ...NOT_IN_THE_SANDBOX.map((name) => ({ name, message: 'Not there, or not deterministic, in a workflow.' })),
      ],
      'no-restricted-syntax': ['error', ...BANNED, ...BANNED_IN_WORKFLOWS],
    },
  },
  {
    files: SPECS,
    rules: { '@typescript-eslint/no-empty-function': 'off' },
  },
  {
    files: WEB,
    extends: [...angular.configs.tsRecommended],
    processor: angular.processInlineTemplates,
    rules: {
      '@angular-eslint/prefer-on-push-component-change-detection': 'off',
      '@angular-eslint/component-selector': ['error', { type: 'element', prefix: 'soai', style: 'kebab-case' }],
      '@angular-eslint/directive-selector': ['error', { type: 'attribute', prefix: 'soai', style: 'camelCase' }],
    },
  },
  {
    files: ['web/**/*.html'],
    extends: [...angular.configs.templateRecommended, ...angular.configs.templateAccessibility],
    rules: {
      '@angular-eslint/template/prefer-control-flow': 'error',
      '@angular-eslint/template/button-has-type': 'error',
    },
  },
);

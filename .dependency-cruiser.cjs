// The rooms and the doors between them (docs/architecture.md). `npm test` refuses any other import.

const SPEC = '[.]spec[.]ts$';
const CONTRACT = '^workflows/contract[.]ts$';
const RULES = '^workflows/rules/';
const API_CONTRACT = '^api/contract/';
const ROOMS = '^(config|workflows|store|plugins|activities|api|cli|web|test|bin)/';

/** Who may import what, besides itself. `types`: only by `import type`. */
const doors = [
  { room: 'config', path: '^config/', may: [] },
  { room: 'rules', path: RULES, may: [] },
  { room: 'workflows', path: '^workflows/(?!rules/)', may: ['^workflows/'], types: ['^activities/'] },
  { room: 'store', path: '^store/', may: ['^config/', CONTRACT] },
  { room: 'plugins', path: '^plugins/', may: [CONTRACT] },
  { room: 'activities', path: '^activities/', may: [RULES, CONTRACT, '^store/', '^plugins/', '^config/'] },
  { room: 'api', path: '^api/', may: ['^config/', '^workflows/', '^store/', '^plugins/', '^activities/'] },
  { room: 'cli', path: '^cli/', may: [API_CONTRACT, '^config/'] },
  { room: 'web', path: '^web/', may: [], types: [API_CONTRACT] },
];

/** @param {typeof doors[number]} door */
function rulesOf({ room, path, may, types = [] }) {
  const rule = (/** @type {object} */ more) => ({
    name: `door-of-${room}`,
    comment: `${room} may import only: itself, ${[...may, ...types.map((each) => `types of ${each}`)].join(', ')}`,
    severity: 'error',
    ...more,
  });
  const typeOnly = types.map((each) => rule({ from: { path }, to: { path: each, dependencyTypesNot: ['type-only'] } }));
  return [
    rule({ from: { path, pathNot: SPEC }, to: { path: ROOMS, pathNot: [path, ...may, ...types] } }),
    // A spec may also use what tests share.
    rule({ from: { path: `${path}.*${SPEC}` }, to: { path: ROOMS, pathNot: [path, ...may, ...types, '^test/'] } }),
    ...typeOnly,
  ];
}

module.exports = {
  forbidden: [
    ...doors.flatMap(rulesOf),
    {
      name: 'rules-are-pure',
      comment: 'a rule takes time, randomness and settings as arguments and needs nothing else',
      severity: 'error',
      from: { path: RULES, pathNot: SPEC },
      to: { path: 'node_modules', dependencyTypesNot: ['local'] },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'workflow code runs in a sandbox and is replayed: no Node module, no client, no worker',
      severity: 'error',
      from: { path: '^workflows/', pathNot: SPEC },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'workflows-use-only-the-workflow-sdk',
      severity: 'error',
      from: { path: '^workflows/(?!rules/)', pathNot: SPEC },
      to: { path: 'node_modules/', pathNot: 'node_modules/@temporalio/(workflow|common)/' },
    },
    {
      name: 'database-behind-the-store',
      comment: 'another driver is a change of two files as long as only store/ knows the present one',
      severity: 'error',
      from: { path: ROOMS, pathNot: ['^store/', '^test/', SPEC] },
      to: { path: 'node_modules/(typeorm|sqlite3|pg)/' },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: ROOMS, pathNot: ['^test/', SPEC, '^web/(jest|src/testing/)'] },
      to: { path: ['^test/', SPEC] },
    },
    {
      name: 'no-development-dependency-in-the-product',
      severity: 'error',
      from: { path: '^(config|workflows|store|plugins|activities|api|cli)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^node:sea$' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Types are doors too: what is only a type must be visible to the rules above.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|[.]angular|coverage|data)/|/runtime/node_modules/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'require', 'node', 'default'],
    },
  },
};

// `node -r .../register-typescript.cjs file.ts`: for the processes that tests start. Types are not checked here.
const { readFileSync } = require('node:fs');
const ts = require('typescript');

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
  experimentalDecorators: true,
  inlineSourceMap: true,
};

require.extensions['.ts'] = (module, fileName) => {
  const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { compilerOptions, fileName });
  module._compile(outputText, fileName);
};

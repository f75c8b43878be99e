'use strict';
// Writes a mocha project's options, as mocha itself merges them from the
// command line, .mocharc, package.json and the environment, and the test files
// that they mean. Arguments: the answer's file, mocha's folder, the project's
// own arguments.
const fs = require('node:fs');
const path = require('node:path');

const [, , answer, mocha, ...args] = process.argv;
const load = (name) => {
  for (const ext of ['cjs', 'js']) {
    const file = path.join(mocha, 'lib', 'cli', `${name}.${ext}`);
    if (fs.existsSync(file)) return require(file);
  }
  throw new Error(`mocha has no lib/cli/${name}`);
};

const { loadOptions } = load('options');
const options = loadOptions(args);
const spec = [...(options._ ?? []), ...[].concat(options.spec ?? [])];
delete options._;
delete options.spec;
const { findConfig } = load('config');
const list = (v) => (v === undefined ? [] : [].concat(v));

const { exit } = process;
const { error, warn } = console;
let files = [];
let none = false;
try {
  process.exit = () => {
    none = true;
    throw new Error('no test files');
  };
  console.error = console.warn = () => {};
  const collect = load('collect-files');
  const found = collect({
    ignore: list(options.ignore), extension: list(options.extension), file: list(options.file),
    recursive: Boolean(options.recursive), sort: Boolean(options.sort), spec: spec.length ? spec : ['test'],
  });
  files = found.files ?? found;
} catch (e) {
  if (!none) throw e;
} finally {
  Object.assign(console, { error, warn });
  process.exit = exit;
}
const at = args.findIndex((a) => a === '--config' || a.startsWith('--config='));
const given = at < 0 ? undefined : args[at].includes('=') ? args[at].slice('--config='.length) : args[at + 1];
const config = args.includes('--no-config') ? undefined : (given ?? findConfig() ?? undefined);
fs.writeFileSync(answer, JSON.stringify({ options, spec, files, config }));

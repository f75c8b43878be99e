'use strict';
// A jest of one page, for tests that are about files and git and not about
// frameworks: it runs test files for real and reports as regreen's reporter
// does. HOLD stands for a pipe: while it is there, a run waits at it.
const fs = require('fs');
const path = require('path');

const args = process.argv.slice(2);
const root = process.cwd();

function testFiles(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
    const at = path.join(dir, e.name);
    if (e.isDirectory()) return ['.git', 'node_modules'].includes(e.name) ? [] : testFiles(at);
    return e.name.endsWith('.test.js') ? [at] : [];
  });
}

if (args.includes('--showConfig')) {
  console.log(JSON.stringify({ configs: [{ rootDir: root, roots: [root], testMatch: ['**/*.test.js'] }], globalConfig: {} }));
  process.exit(0);
}
if (args.includes('--listTests')) {
  console.log(JSON.stringify(testFiles(root)));
  process.exit(0);
}

const { REGREEN_REPORT: report, REGREEN_NONCE: nonce } = process.env;
const put = (record) => fs.appendFileSync(report, JSON.stringify(record) + '\n');
const told = (e) => ({ message: String(e.message), stack: String(e.stack), code: e.code });

put({ t: 'start', nonce, version: '30.0.0' });
if (fs.existsSync('HOLD')) fs.readFileSync('HOLD');
const named = args.indexOf('--runTestsByPath');
const files = named < 0 ? testFiles(root) : args.slice(named + 1);
const pattern = args.find((a) => a.startsWith('--testNamePattern='));
const wanted = new RegExp(pattern ? pattern.slice('--testNamePattern='.length) : '');
const data = { passed: 0, failed: 0, pending: 0, todo: 0, unloaded: 0, files: files.length, interrupted: false };
for (const file of files) {
  put({ t: 'begin', file });
  const tests = [];
  globalThis.it = (title, body) => tests.push({ title, body });
  globalThis.it.skip = (title) => tests.push({ title });
  const end = { t: 'file', file, data: { tests: 0 } };
  try {
    require(file);
    for (const { title, body } of tests.filter((t) => wanted.test(t.title))) {
      const record = { t: 'test', file, path: [title], verdict: 'passed', ms: 1, asserts: 1 };
      try {
        if (body) {
          body();
          data.passed++;
        } else {
          Object.assign(record, { verdict: 'skipped', asserts: 0 });
          data.pending++;
        }
      } catch (e) {
        Object.assign(record, { verdict: 'failed', asserts: 0, errors: [told(e)] });
        data.failed++;
      }
      put(record);
      end.data.tests++;
    }
    if (tests.length === 0) throw new Error('Your test suite must contain at least one test.');
  } catch (e) {
    end.errors = [told(e)];
    data.unloaded++;
  }
  put(end);
}
process.exitCode = data.failed + data.unloaded > 0 ? 1 : 0;
put({ t: 'end', nonce, data });

'use strict';
// Reports a mocha run (10, 11 and 12) as JSON lines while it goes. mocha loads
// this file as the first --require, so that it sees whatever does not load;
// reporter.cjs then hands mocha the reporter that is made here.
const fs = require('node:fs');
const util = require('node:util');

const env = process.env;
const nonce = env.REGREEN_NONCE;
const report = env.REGREEN_REPORT;
const keepGoing = env.REGREEN_KEEP_GOING === '1';
for (const k of ['REGREEN_NONCE', 'REGREEN_REPORT', 'REGREEN_KEEP_GOING']) delete env[k];

const later = setTimeout;
const out = report ? fs.openSync(report, 'a') : -1;
const { writeSync } = fs;
const { stringify } = JSON;
const write = (record) => {
  if (out >= 0) writeSync(out, stringify(record) + '\n');
};

// typed is a value as JSON, or as node prints it where JSON cannot say it.
function typed(v) {
  if (v === undefined) return 'undefined';
  try {
    if (v !== null && (typeof v === 'object' || typeof v === 'number') && !faithful(v, 0, new Set())) throw v;
    const s = stringify(v);
    if (typeof s === 'string') return s.slice(0, 1 << 18);
  } catch {}
  try {
    return util.inspect(v, { depth: 8, breakLength: 120, compact: true, getters: false }).slice(0, 1 << 16);
  } catch {
    return undefined;
  }
}

// faithful tells whether JSON says all of a value.
function faithful(v, depth, seen) {
  if (v === null || typeof v === 'string' || typeof v === 'boolean') return true;
  if (typeof v === 'number') return Number.isFinite(v) && !Object.is(v, -0);
  if (typeof v !== 'object' || depth > 30 || seen.has(v)) return false;
  const proto = Object.getPrototypeOf(v);
  if (!Array.isArray(v) && proto !== Object.prototype && proto !== null) return false;
  seen.add(v);
  const ok = Object.values(v).every((x) => faithful(x, depth + 1, seen));
  seen.delete(v);
  return ok;
}

const text = (v) => (v === undefined || v === null ? undefined : typeof v === 'string' ? v : String(v));

function raw(e, depth = 0) {
  if (e === null || (typeof e !== 'object' && typeof e !== 'function')) return { message: `thrown: ${typed(e)}` };
  const r = {};
  const get = (k) => {
    try {
      return e[k];
    } catch {
      return undefined;
    }
  };
  r.name = text(get('name'));
  r.message = text(get('message')) ?? typed(e);
  r.stack = text(get('stack'));
  r.code = text(get('code'));
  r.operator = text(get('operator'));
  const plain = r.operator === '==' && get('expected') === true && !get('actual') && !(get('generatedMessage') && / == /.test(r.message));
  // assert.ok gives no operands of the user's.
  if (!plain) {
    const has = (k) => {
      try {
        return k in e && (e[k] !== undefined || r.name === 'AssertionError');
      } catch {
        return false;
      }
    };
    if (has('expected') && has('actual')) {
      r.expected = typed(get('expected'));
      r.actual = typed(get('actual'));
    }
  }
  const attr = {};
  for (const k of ['url', 'specifier', 'path', 'diagnosticText']) {
    const v = get(k);
    if (typeof v === 'string' && v) attr[k] = v;
  }
  const stack = get('requireStack');
  if (Array.isArray(stack) && stack.length) attr.requireStack = stack.join('\n');
  if (Object.keys(attr).length) r.attr = attr;
  const cause = get('cause');
  if (cause && depth < 5) r.cause = raw(cause, depth + 1);
  return r;
}

// at tells the watcher of opened files which test file is at work.
const at = globalThis[Symbol.for('regreen.test')] ?? (() => {});

// What is loading, for an error that stops mocha before there is a run.
const state = { loading: '', error: null, reporter: false, running: false, ended: false, loaded: 0 };
const broken = new Set(); // test files that did not load, when the run keeps going

function lost(error, file) {
  if (state.error || state.running) return;
  state.error = error;
  write({ t: 'run', file, errors: [raw(error)], data: { aborted: true } });
  state.ended = true;
  write({ t: 'end', nonce });
}

// mocha hands an error that ends it to console.error as an object.
const { error: print } = console;
console.error = function (...args) {
  if (!state.running && typeof args[0] === 'string' && /ERROR:|Exception during run:/.test(args[0])) {
    const e = args.find((a) => a !== null && typeof a === 'object');
    if (e) lost(e, state.loading || undefined);
  }
  return print.apply(this, args);
};

for (const [file, m] of Object.entries(require.cache)) {
  if (!/[\\/]lib[\\/]nodejs[\\/]esm-utils\.c?js$/.test(file)) continue;
  const utils = m.exports;
  const load = utils.requireOrImport;
  if (typeof load !== 'function') continue;
  utils.requireOrImport = async function (file, ...rest) {
    state.loading = file;
    at(file);
    write({ t: 'collected', file });
    try {
      const got = await load.call(this, file, ...rest);
      state.loaded++;
      return got;
    } catch (e) {
      if (!keepGoing) {
        lost(e, file);
        throw e;
      }
      broken.add(file);
      write({ t: 'file', file, errors: [raw(e)] });
      return {};
    } finally {
      state.loading = '';
      at('');
    }
  };
}

// A hook of the root suite does not know its file.
for (const [file, m] of Object.entries(require.cache)) {
  if (!/[\\/]lib[\\/]suite\.c?js$/.test(file)) continue;
  const proto = (m.exports.Suite ?? m.exports)?.prototype;
  const make = proto?._createHook;
  if (typeof make !== 'function') continue;
  proto._createHook = function (...args) {
    const hook = make.apply(this, args);
    hook.file ??= state.loading || undefined;
    return hook;
  };
}

write({ t: 'start', nonce, version: version() });

function version() {
  for (const file of Object.keys(require.cache)) {
    const m = /^(.*[\\/]mocha)[\\/]lib[\\/]/.exec(file);
    if (!m) continue;
    try {
      return JSON.parse(fs.readFileSync(`${m[1]}/package.json`, 'utf8')).version;
    } catch {}
  }
  return undefined;
}

process.on('exit', () => {
  // mocha leaves before there is a run when it finds no test file.
  if (state.reporter && !state.running && !state.ended && !state.loading && state.loaded === 0 && broken.size === 0) {
    write({ t: 'end', nonce });
  }
});

function fileOf(runnable) {
  for (let n = runnable; n; n = n.parent) if (n.file) return n.file;
  return runnable?.ctx?.currentTest?.file;
}

const pathOf = (runnable) => {
  const p = [];
  for (let n = runnable; n && !n.root; n = n.parent) if (n.title || n === runnable) p.unshift(n.title);
  return p;
};

class Reporter {
  constructor(runner) {
    state.running = true;
    if (broken.size) forget(runner.suite);
    const told = new WeakMap();
    const test = (t, verdict, errors) => {
      const again = told.has(t);
      told.set(t, verdict);
      write({ t: 'test', file: fileOf(t), path: pathOf(t), verdict, ms: t.duration, errors, data: again ? { again: true } : undefined });
    };
    const seen = new WeakSet();
    const unhandled = (reason, promise) => {
      if (promise && seen.has(promise)) return;
      if (promise) seen.add(promise);
      const t = runner.currentRunnable;
      write({ t: 'warn', file: fileOf(t), path: t ? pathOf(t) : undefined, text: 'unhandled rejection, which mocha does not count', errors: [raw(reason)] });
    };
    runner.on('start', () => {
      const { _grep: grep, _invert: invert } = runner;
      runner.suite.eachTest((t) => {
        if (grep && grep.test(t.fullTitle()) === Boolean(invert)) return;
        write({ t: 'collected', file: fileOf(t), path: pathOf(t) });
      });
      // mocha listens already, and says nothing of what it hears.
      process.on('unhandledRejection', unhandled);
    });
    runner.on('suite', (s) => s.file && at(s.file)); // its hooks come before its tests
    runner.on('test', (t) => {
      at(fileOf(t));
      write({ t: 'begin', file: fileOf(t), path: pathOf(t) });
    });
    runner.on('pass', (t) => test(t, 'passed'));
    runner.on('pending', (t) => test(t, 'skipped'));
    runner.on('fail', (t, e) => {
      if (t.type === 'test') return test(t, 'failed', [raw(e), ...(e?.multiple ?? []).map((x) => raw(x))]);
      const error = raw(e);
      if (t.type === 'hook') {
        const name = (t.originalTitle || t.title || '').replace(/^"([^"]*)".*$/, '$1');
        return write({ t: 'hook', file: fileOf(t), path: pathOf(t), hook: name, errors: [error] });
      }
      error.attr = { ...error.attr, unhandled: 'exception' };
      write({ t: 'run', file: fileOf(t), errors: [error] });
    });
    runner.on('end', () => {
      process.removeListener('unhandledRejection', unhandled);
      state.ended = true;
      write({ t: 'end', nonce });
      // Whatever the tests left open must not keep the process.
      later(() => process.exit(Math.min(runner.failures, 255)), 500).unref();
    });
  }
}

process[Symbol.for('regreen.mocha')] = { state, Reporter };

// forget takes what a file that did not load had declared before it failed out
// of the run.
function forget(root) {
  const gone = (x) => x.file && broken.has(x.file);
  root.suites = root.suites.filter((s) => !gone(s));
  root.tests = root.tests.filter((t) => !gone(t));
  for (const k of ['_beforeAll', '_beforeEach', '_afterAll', '_afterEach']) {
    if (Array.isArray(root[k])) root[k] = root[k].filter((h) => !gone(h));
  }
}

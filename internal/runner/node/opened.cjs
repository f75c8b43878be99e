'use strict';
// Loaded by every process of a run before anything else. It notes which files
// of the repository are opened for reading, which folders are listed and which
// modules load which, and for which test file, as JSON lines in the file that
// REGREEN_OPENED names. It changes nothing and must never throw.
//
// A module of which what it loads is seen is noted as loading itself: with
// 'require' only its require calls are seen, with 'import' its import() too.
const { REGREEN_OPENED: out, REGREEN_ROOT: root } = process.env;
if (out && root) {
  const fs = require('fs');
  const Module = require('module');
  const { sep, resolve, join } = require('path');
  const { fileURLToPath } = require('url');
  const { appendFileSync, readdirSync } = fs;
  const within = root.endsWith(sep) ? root : root + sep;
  const noted = new Set();
  let current = process.env.REGREEN_OPENED_BY || '';
  let busy = false;

  // A folder is own with what is in it, and so is the root.
  const own = (file) => typeof file === 'string' && `${file}${sep}`.startsWith(within) && !/[\\/](node_modules|\.git)[\\/]/.test(`${file}${sep}`.slice(within.length - 1));

  const put = (by, file, kind) => {
    const key = `${kind}\0${by}\0${file}`;
    if (busy || noted.has(key) || !own(by) || !own(file) || (by === file && kind !== 'require' && kind !== 'import')) return;
    noted.add(key);
    if (noted.size > 200000) return;
    busy = true;
    try {
      appendFileSync(out, `${JSON.stringify({ by, file, kind })}\n`);
    } catch {
      // the selection knows less then, no more
    } finally {
      busy = false;
    }
  };

  // by is the test file that runs now, '' for none.
  const by = () => {
    const worker = globalThis.__vitest_worker__;
    const file = (worker && worker.filepath) || current;
    if (file !== process.env.REGREEN_OPENED_BY && own(file)) process.env.REGREEN_OPENED_BY = file; // for the children
    return file;
  };

  const note = (path, kind) => {
    if (busy) return;
    try {
      const test = by();
      if (!test) return;
      let file = path;
      if (file instanceof URL) file = fileURLToPath(file);
      else if (Buffer.isBuffer(file)) file = String(file);
      if (typeof file !== 'string') return;
      file = resolve(file);
      if (!own(file) || noted.has(`${kind}\0${test}\0${file}`)) return;
      if (kind === 'read' && /\.([cm]?[jt]sx?|vue|svelte)$/.test(file) && byTool()) return;
      if (kind === 'list' && byCompiler()) return;
      put(test, file, kind);
      if (loading) put(loading, file, kind);
    } catch {
      // not a path
    }
  };

  // callers are the lines of the stack, the nearest first.
  const callers = (limit) => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    const at = {};
    Error.prepareStackTrace = undefined;
    Error.stackTraceLimit = limit;
    Error.captureStackTrace(at, callers);
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
    return String(at.stack).split('\n').filter((l) => !l.includes(__filename));
  };

  // byCompiler tells whether TypeScript looks for the files of its project, since
  // a module is being loaded: it does so once in a process, and whichever test
  // comes first does not depend on it.
  const byCompiler = () => {
    const lines = callers(100);
    const first = lines.findIndex((l) => l.includes(within) && !/[\\/]node_modules[\\/]/.test(l));
    const before = first < 0 ? lines : lines.slice(0, first);
    return before.some((l) => /[\\/]node_modules[\\/]typescript[\\/]/.test(l)) && before.some((l) => l.includes('node:internal/modules') || /[\\/]@jest[\\/]transform[\\/]/.test(l));
  };

  // byTool tells whether a package or Node itself asks: sources are read to be loaded then.
  const byTool = () => {
    const lines = callers(12);
    if (lines.some((l) => l.includes('node:internal/modules'))) return true;
    const first = lines.find((l) => l.includes(sep) && !l.includes('node:'));
    return first === undefined || /[\\/]node_modules[\\/]/.test(first);
  };

  const reading = (flags) => flags === undefined || flags === null || typeof flags === 'function' || (typeof flags === 'number' ? (flags & 3) === 0 : /^r(s)?$/.test(String(flags)));
  const wrap = (object, name, before) => {
    const real = object && object[name];
    if (typeof real !== 'function') return;
    const wrapper = {
      [name](...args) {
        before(args);
        return Reflect.apply(real, this, args);
      },
    }[name];
    Object.defineProperty(wrapper, 'length', { value: real.length, configurable: true });
    for (const key of Reflect.ownKeys(real)) {
      if (key !== 'length' && key !== 'name' && key !== 'prototype') Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(real, key));
    }
    object[name] = wrapper;
  };
  const read = (args) => note(args[0], 'read');
  const open = (args) => reading(args[1]) && note(args[0], 'read');
  // Node lists what is below by itself, past all that is watched here.
  const listed = new Set();
  const below = (dir) => {
    const key = `${by()}\0${dir}`;
    if (!own(dir) || listed.has(key)) return;
    listed.add(key);
    for (const e of readdirSync(dir, { withFileTypes: true })) {
      if (!e.isDirectory() || e.name === 'node_modules' || e.name === '.git') continue;
      note(join(dir, e.name), 'list');
      below(join(dir, e.name));
    }
  };
  const list = (args) => {
    note(args[0], 'list');
    try {
      if (args[1] && args[1].recursive && !busy && by()) below(resolve(args[0] instanceof URL ? fileURLToPath(args[0]) : String(args[0])));
    } catch {
      // no folder
    }
  };
  for (const of of [fs, fs.promises]) {
    for (const name of ['readFile', 'readFileSync']) wrap(of, name, read);
    for (const name of ['open', 'openSync']) wrap(of, name, open);
    for (const name of ['readdir', 'readdirSync', 'opendir', 'opendirSync']) wrap(of, name, list);
  }

  // loads notes that a module loads another one, and how much of what it loads is
  // seen, '' where that is not known.
  const loads = (from, file, seen) => {
    if (!own(from)) return;
    if (seen) put(from, from, seen);
    put(from, file, 'load');
  };

  // hooked tells whether Node's own hooks may be used. Beside loaders of the other
  // kind, which have a thread of their own, they may not: there Node 22 cannot
  // resolve for both.
  function hooked() {
    if (typeof Module.registerHooks !== 'function' || /[\\/](jest|vitest)/.test(process.argv[1] || '')) return false;
    if (require('worker_threads').isInternalThread !== false) return false;
    return !/--(experimental-)?loader\b/.test([...process.execArgv, process.env.NODE_OPTIONS].join(' '));
  }

  // The module that is being loaded: what it reads then is read for all who load it.
  let loading = '';
  const { _load: load, _resolveFilename: find } = Module;
  let hooks = hooked();
  if (typeof load === 'function' && typeof find === 'function') {
    Module._load = function (request, parent, ...rest) {
      const before = loading;
      try {
        const got = Reflect.apply(load, this, [request, parent, ...rest]);
        if (request === 'jest-resolve') jest(got);
        return got;
      } finally {
        loading = before;
      }
    };
    Module._resolveFilename = function (request, parent, ...rest) {
      const file = Reflect.apply(find, this, [request, parent, ...rest]);
      if (parent && parent.filename) loads(parent.filename, file, hooks ? 'import' : 'require');
      if (own(file)) {
        if (!require.cache[file]) loading = file;
        const test = by();
        if (test) put(test, file, 'load');
      }
      return file;
    };
  }

  // jest resolves for the modules it runs, all that they require and import.
  const jest = (exports) => {
    const proto = exports && exports.default && exports.default.prototype;
    if (!proto || proto[Symbol.for('regreen.opened')]) return;
    Object.defineProperty(proto, Symbol.for('regreen.opened'), { value: true });
    const { resolveModule: one, resolveModuleAsync: later } = proto;
    if (typeof one === 'function') {
      proto.resolveModule = function (from, ...rest) {
        const file = Reflect.apply(one, this, [from, ...rest]);
        loads(from, file, 'import');
        return file;
      };
    }
    if (typeof later === 'function') {
      proto.resolveModuleAsync = async function (from, ...rest) {
        const file = await Reflect.apply(later, this, [from, ...rest]);
        loads(from, file, 'import');
        return file;
      };
    }
  };

  // ES modules that Node itself runs; vitest's workers tell of theirs.
  if (hooks) {
    try {
      const registered = Module.registerHooks({
        resolve(specifier, context, next) {
          const found = next(specifier, context);
          try {
            const from = context.parentURL;
            if (typeof from === 'string' && from.startsWith('file:') && own(fileURLToPath(from))) {
              loads(fileURLToPath(from), found.url.startsWith('file:') ? fileURLToPath(found.url) : '', 'import');
            }
          } catch {
            // no file
          }
          return found;
        },
      });
      // Who registers a loader of the other kind finds Node as it is without us.
      wrap(Module, 'register', () => {
        if (!hooks) return;
        hooks = false;
        try {
          registered.deregister();
          appendFileSync(out, '{"kind":"cut"}\n');
        } catch {
          // the disk is full
        }
      });
    } catch {
      // the selection knows less then, no more
    }
  }

  try {
    Module.syncBuiltinESMExports();
  } catch {
    // an old Node: modules that import { readFile } keep the plain one
  }

  // A framework that runs modules itself tells what they load, from inside its
  // sandboxes too.
  Object.defineProperty(process, Symbol.for('regreen.loads'), { value: loads });

  // A framework that runs many files in a process says which one it is at.
  Object.defineProperty(globalThis, Symbol.for('regreen.test'), {
    value: (file) => {
      current = typeof file === 'string' ? file : '';
    },
  });

  // jest's workers are told by a message.
  if (process.env.JEST_WORKER_ID && process.send && /jest-worker/.test(process.argv[1] || '')) {
    process.prependListener('message', (m) => {
      try {
        const path = m[3][0].path;
        if (typeof path === 'string') current = path;
      } catch {
        // another message
      }
    });
  }
}

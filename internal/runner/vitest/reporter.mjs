// Reports a vitest run (3, 4 and 5) as JSON lines while it goes. The file, the
// run's nonce and what to run come in the environment; the nonce is taken out
// of it again before any worker starts.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const env = process.env;
const nonce = env.REGREEN_NONCE;
const path = env.REGREEN_REPORT;
const plan = env.REGREEN_PLAN ? JSON.parse(fs.readFileSync(env.REGREEN_PLAN, 'utf8')) : {};
delete env.REGREEN_NONCE;
delete env.REGREEN_REPORT;
delete env.REGREEN_PLAN;

const out = path ? fs.openSync(path, 'a') : -1;
const write = (record) => {
  if (out >= 0) fs.writeSync(out, JSON.stringify(record) + '\n');
};

const text = (v) => (v === undefined || v === null ? undefined : typeof v === 'string' ? v : String(v));

// raw is an error as vitest hands it over: serialised, frames mapped to sources.
const raw = (e, depth = 0) => {
  if (e === null || typeof e !== 'object') return { message: String(e) };
  const attr = {};
  // What a plugin of vite's says of a file that it could not transform.
  const p = e.__vitest_rollup_error__ ?? e;
  for (const [k, v] of Object.entries({ diff: e.diff, id: p.id ?? p.loc?.file, plugin: p.plugin, frame: p.frame, type: e.type })) {
    if (typeof v === 'string' && v) attr[k] = v.slice(0, 1 << 16);
  }
  if (p.loc?.line) Object.assign(attr, { line: String(p.loc.line), column: String(p.loc.column ?? 0) });
  return {
    name: text(e.name) ?? text(e.nameStr),
    message: text(e.message) ?? '',
    stack: text(e.stackStr) ?? text(e.stack),
    code: text(e.code),
    expected: text(e.expected),
    actual: text(e.actual),
    operator: text(e.operator),
    frames: (e.stacks ?? []).filter((f) => f.file && f.line).map((f) => ({ file: f.file, line: f.line, column: f.column, function: f.method || undefined })),
    cause: e.cause && depth < 5 ? raw(e.cause, depth + 1) : undefined,
    attr: Object.keys(attr).length ? attr : undefined,
  };
};

const raws = (errors) => {
  const list = (errors ?? []).map((e) => raw(e));
  return list.length ? list : undefined;
};

export default class Reporter {
  ready = new Set(); // ids of test cases that got to run
  hooks = new Map(); // id of a suite or module to its last hook
  shared = new Set(); // files that more than one project runs
  checked = new Set(); // files that are run and have their types checked too
  done = new Set();

  onInit(vitest) {
    this.vitest = vitest;
    write({ t: 'start', nonce, version: vitest.version });
    const update = plan.update ? 'all' : 'none';
    const configs = [vitest.config, ...(vitest.projects ?? []).map((p) => p.config)];
    for (const c of configs) if (c?.snapshotOptions) c.snapshotOptions.updateSnapshot = update;
    if (vitest.snapshot?.options) vitest.snapshot.options.updateSnapshot = update;
    this.allow(vitest);
    if (plan.setup) this.follow(vitest);
    // A filter of vitest's is a substring: keep exactly the files of the plan.
    const specs = vitest.specifications;
    if (typeof specs?.globTestSpecifications !== 'function') return;
    const glob = specs.globTestSpecifications;
    if (!plan.files) return;
    const wanted = new Set(plan.files.flatMap((f) => [f, real(f)]));
    specs.globTestSpecifications = async function (...args) {
      const found = await glob.apply(this, args);
      return found.filter((s) => wanted.has(s.moduleId) || wanted.has(real(s.moduleId)));
    };
  }

  // allow has vite serve files from outside the root to environments of the
  // browser's kind (jsdom, happy-dom), which otherwise do not find them.
  allow(vitest) {
    const roots = (plan.allow ?? []).flatMap((f) => [f, real(f)]);
    const seen = new Set();
    for (const p of [vitest, ...(vitest.projects ?? [])]) {
      const list = (p.vite ?? p.server)?.config?.server?.fs?.allow;
      if (!Array.isArray(list) || seen.has(list)) continue;
      seen.add(list);
      list.push(...roots.filter((f) => !list.includes(f)));
    }
  }

  // follow has the workers themselves note each test as it begins: one that
  // hangs or dies at once never gets to send its news. When a file is done, or
  // forgets its modules, it tells which modules loaded which by import(); what
  // they import otherwise stands in their text. Hooks that run after ours could
  // load more: then nobody is told that this is all.
  follow(vitest) {
    const index = join(dirname(fs.realpathSync(process.argv[1])), 'dist', 'index.js');
    if (!fs.existsSync(index)) return;
    fs.writeFileSync(plan.setup, `import fs from 'node:fs';
import { afterAll, beforeEach, vi } from ${JSON.stringify(pathToFileURL(index).href)};
const out = fs.openSync(${JSON.stringify(plan.begun)}, 'a');
beforeEach(({ task }) => {
  const path = [];
  for (let n = task; n && n !== task.file; n = n.suite) path.unshift(n.name);
  fs.writeSync(out, JSON.stringify({ t: 'begin', file: task.file?.filepath, path }) + '\\n');
});
const loads = process[Symbol.for('regreen.loads')];
const tell = () => {
  try {
    const worker = globalThis.__vitest_worker__;
    const seen = worker.config?.sequence?.hooks === 'stack' ? 'import' : '';
    const modules = worker.evaluatedModules?.idToModuleMap ?? worker.moduleCache;
    for (const [id, module] of modules) {
      for (const from of module.importers ?? []) {
        const by = modules.get(from);
        const code = by?.meta?.code ?? by?.code;
        if (typeof code === 'string' && !code.includes('dynamic_import__')) continue;
        loads(by?.file ?? from, module.file ?? id.replace(/[?#].*$/, ''), seen);
      }
    }
  } catch {
    // the selection knows less then, no more
  }
};
if (loads) {
  afterAll(tell);
  const { resetModules } = vi;
  const told = Symbol.for('regreen.told');
  if (!resetModules[told]) { // a worker may run many files
    vi.resetModules = (...args) => {
      tell();
      return Reflect.apply(resetModules, vi, args);
    };
    vi.resetModules[told] = true;
  }
}
`);
    for (const project of vitest.projects ?? []) {
      const c = project.config;
      if (Array.isArray(c?.setupFiles) && !c.browser?.enabled) c.setupFiles.unshift(plan.setup);
    }
  }

  onTestRunStart(specs) {
    const seen = new Map();
    for (const s of specs) {
      write({ t: 'collected', file: s.moduleId });
      const other = seen.get(s.moduleId);
      if (other && other.project !== s.project) this.shared.add(s.moduleId);
      if (other && types(other) !== types(s)) this.checked.add(s.moduleId);
      seen.set(s.moduleId, s);
    }
  }

  path(task) {
    const p = [];
    let n = task;
    for (; n && n.type !== 'module'; n = n.parent) p.unshift(n.name);
    if (n && this.checked.has(n.moduleId) && types(n.task)) p.unshift('[typecheck]');
    if (n && this.shared.has(n.moduleId)) p.unshift(`[${n.project?.name ?? ''}]`);
    return p;
  }

  onTestModuleCollected(module) {
    for (const t of module.children.allTests()) write({ t: 'collected', file: module.moduleId, path: this.path(t) });
  }

  onTestCaseReady(test) {
    const { mode } = test.options ?? {};
    if (this.ready.has(test.id) || mode === 'skip' || mode === 'todo') return;
    this.ready.add(test.id);
    write({ t: 'begin', file: test.module.moduleId, path: this.path(test) });
  }

  onTestCaseResult(test) {
    this.result(test, false);
  }

  // result reports a test's verdict. A test that was skipped before it began
  // waits until its module is closed: the first test that a failed hook skips
  // is told of before the failure of the hook is.
  result(test, closed) {
    if (this.done.has(test.id)) return;
    const r = test.result();
    if (r.state === 'pending') return;
    const mode = test.options?.mode;
    const unasked = r.state === 'skipped' && mode !== 'skip' && mode !== 'todo' && !this.ready.has(test.id);
    if (unasked && !closed) return;
    this.done.add(test.id);
    const record = { t: 'test', file: test.module.moduleId, path: this.path(test), ms: test.diagnostic?.()?.duration };
    if (r.state === 'skipped') {
      record.verdict = mode === 'todo' ? 'todo' : 'skipped';
      // Asked for by nobody: something above it failed.
      record.not_run = unasked && (mode === 'run' || mode === 'only' || mode === 'queued') && broken(test);
    } else {
      record.verdict = r.state;
    }
    // A test that passed after a retry still carries the errors before.
    if (r.state === 'failed') record.errors = raws(r.errors);
    write(record);
  }

  onHookStart(hook) {
    this.hooks.set(hook.entity.id, hook.name);
  }

  onTestModuleEnd(module) {
    this.close(module);
  }

  // close reports what a module's own state says beyond its tests' results.
  close(module) {
    for (const t of module.children.allTests()) this.result(t, true);
    const loaded = [...module.children.allTests()].length > 0;
    const errors = module.errors();
    if (errors.length && !this.done.has(module.id)) {
      this.done.add(module.id);
      if (loaded) write({ t: 'hook', file: module.moduleId, path: [], hook: this.hooks.get(module.id) ?? '', errors: raws(errors) });
      else write({ t: 'file', file: module.moduleId, errors: raws(errors) });
    }
    for (const s of module.children.allSuites()) {
      const own = s.errors();
      if (!own.length || this.done.has(s.id)) continue;
      this.done.add(s.id);
      write({ t: 'hook', file: module.moduleId, path: this.path(s), hook: this.hooks.get(s.id) ?? '', errors: raws(own) });
    }
  }

  onTestRunEnd(modules, unhandled, reason) {
    for (const m of modules) this.close(m);
    const ignored = this.vitest?.config?.dangerouslyIgnoreUnhandledErrors;
    for (const e of unhandled) {
      const error = raw(e);
      error.attr = { ...error.attr, unhandled: /rejection/i.test(e.type ?? '') ? 'rejection' : 'exception' };
      const file = e.VITEST_TEST_PATH ?? e.VITEST_AFTER_ENV_TEARDOWN_PATH;
      const name = e.VITEST_TEST_NAME;
      const test = file && name ? this.find(modules, file, name) : undefined;
      write({
        t: ignored ? 'warn' : 'run', file, path: test ? this.path(test) : undefined, errors: [error],
        text: ignored ? 'unhandled error, which the project has vitest ignore' : undefined,
      });
    }
    if (reason === 'interrupted') return;
    write({ t: 'end', nonce });
  }

  find(modules, file, name) {
    const full = (t) => this.path(t).join(' > ');
    const hits = [];
    for (const m of modules) {
      if (m.moduleId !== file) continue;
      for (const t of m.children.allTests()) if (t.name === name || full(t) === name || full(t).endsWith(name)) hits.push(t);
    }
    return hits.length === 1 ? hits[0] : undefined;
  }
}

// types tells what vitest hands to the type checker instead of running it.
function types(o) {
  return o?.pool === 'typescript';
}

function real(f) {
  try {
    return fs.realpathSync(f).replaceAll('\\', '/');
  } catch {
    return f;
  }
}

// broken tells whether a suite or module above a test has an error of its own.
function broken(test) {
  for (let n = test.parent; n; n = n.parent) {
    if (n.errors?.().length) return true;
    if (n.type === 'module') return n.state?.() === 'failed';
  }
  return false;
}

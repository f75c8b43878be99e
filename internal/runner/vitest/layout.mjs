// Writes what a vitest project's configuration says about its files, as vitest
// itself resolves it. Arguments: the answer's file, vitest's folder, the
// project's own arguments.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , answer, vitestDir, ...args] = process.argv;
const { createVitest, parseCLI } = await import(pathToFileURL(path.join(vitestDir, 'dist', 'node.js')).href);
const { filter, options } = parseCLI(['vitest', 'run', ...args], { allowUnknownOptions: true });
delete options['--'];

const list = (v) => (v === undefined || v === null ? [] : [].concat(v)).filter((x) => typeof x === 'string');
const vitest = await createVitest('test', {
  ...options, watch: false, run: true, ui: false, reporters: [], coverage: { enabled: false },
});
const projects = (vitest.projects ?? []).map((p) => {
  const c = p.config;
  const v = p.vite?.config ?? {};
  return {
    name: p.name ?? '',
    root: c.root,
    dir: c.dir ?? c.root,
    include: list(c.include),
    exclude: list(c.exclude),
    includeSource: list(c.includeSource),
    typeInclude: c.typecheck?.enabled ? list(c.typecheck.include) : [],
    typeExclude: list(c.typecheck?.exclude),
    setupFiles: list(c.setupFiles),
    // What vitest loads besides: a runner, how differences are shown, environments by pattern.
    programs: [...list(c.runner), ...list(c.diff), ...(c.environmentMatchGlobs ?? []).flatMap((pair) => list(pair?.[1]))]
      .filter((f) => f.startsWith('.') || path.isAbsolute(f)).map((f) => path.resolve(c.root, f)),
    globalSetup: list(c.globalSetup),
    snapshotSerializers: list(c.snapshotSerializers),
    ownSnapshots: typeof c.resolveSnapshotPath === 'function',
    environment: typeof c.environment === 'string' ? c.environment : '',
    config: [v.configFile, ...(v.configFileDependencies ?? [])].filter((x) => typeof x === 'string'),
    envDir: typeof v.envDir === 'string' ? v.envDir : v.envDir === false ? '' : c.root,
    // Without those that vite has for itself.
    aliases: (Array.isArray(v.resolve?.alias) ? v.resolve.alias : [])
      .filter((a) => typeof a.replacement === 'string' && !/@vite\b/.test(String(a.find))) 
      .map((a) => ({ find: typeof a.find === 'string' ? a.find : '', pattern: a.find instanceof RegExp ? a.find.source : '', replacement: a.replacement })),
  };
});
const root = vitest.vite?.config ?? vitest.server?.config ?? {};
const config = [root.configFile, ...(root.configFileDependencies ?? []), vitest.config?.workspace].filter((x) => typeof x === 'string');
let files = [];
try {
  files = (await vitest.globTestSpecifications(list(filter))).map((s) => s.moduleId);
} catch {}
fs.writeFileSync(answer, JSON.stringify({ projects, config, filter: list(filter), files }));
await vitest.close().catch(() => {});
process.exit(0);

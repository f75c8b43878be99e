package js

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

func TestResolve(t *testing.T) {
	tests := []struct {
		name     string
		tree     mapTree
		aliases  []lang.Alias
		importer string
		spec     string
		kind     lang.ImportKind
		want     lang.Resolution
		waiting  []string // some of those expected; nil is not compared
	}{
		{name: "extension", tree: mapTree{}.with("src/a.js", "src/b.js"), importer: "src/b.js", spec: "./a",
			want: lang.Resolution{Files: []string{"src/a.js"}}},
		{name: "exact", tree: mapTree{}.with("src/a.js", "src/b.js"), importer: "src/b.js", spec: "./a.js",
			want: lang.Resolution{Files: []string{"src/a.js"}}},
		{name: "query", tree: mapTree{}.with("src/a.svg", "src/b.js"), importer: "src/b.js", spec: "./a.svg?raw", kind: lang.Asset,
			want: lang.Resolution{Files: []string{"src/a.svg"}}},
		{name: "js for ts", tree: mapTree{}.with("src/a.ts"), importer: "src/b.ts", spec: "./a.js",
			want: lang.Resolution{Files: []string{"src/a.ts"}}},
		{name: "js for tsx", tree: mapTree{}.with("src/a.tsx"), importer: "src/b.ts", spec: "./a.js",
			want: lang.Resolution{Files: []string{"src/a.tsx"}}},
		{name: "mjs for mts", tree: mapTree{}.with("src/a.mts"), importer: "src/b.mts", spec: "./a.mjs",
			want: lang.Resolution{Files: []string{"src/a.mts"}}},
		{name: "dotted name", tree: mapTree{}.with("src/a.service.ts"), importer: "src/b.ts", spec: "./a.service",
			want: lang.Resolution{Files: []string{"src/a.service.ts"}}},
		{name: "index", tree: mapTree{}.with("src/a/index.tsx"), importer: "src/b.ts", spec: "./a",
			want: lang.Resolution{Files: []string{"src/a/index.tsx"}}},
		{name: "file before folder", tree: mapTree{}.with("src/a/index.ts", "src/a.ts"), importer: "src/b.ts", spec: "./a",
			want: lang.Resolution{Files: []string{"src/a.ts"}}},
		{name: "folder with a slash", tree: mapTree{}.with("src/a/index.ts", "src/a.ts"), importer: "src/b.ts", spec: "./a/",
			want: lang.Resolution{Files: []string{"src/a/index.ts"}}},
		{name: "own folder", tree: mapTree{}.with("src/index.ts"), importer: "src/b.ts", spec: ".",
			want: lang.Resolution{Files: []string{"src/index.ts"}}},
		{name: "root by package main", tree: mapTree{"package.json": `{"main":"lib/x"}`}.with("lib/x.js"), importer: "test/b.js", spec: "..",
			want: lang.Resolution{Files: []string{"lib/x.js"}}},
		{name: "root by built main", tree: mapTree{"package.json": `{"main":"dist/index.js"}`}.with("src/index.ts", "dist/index.js"), importer: "test/b.js", spec: "../",
			want: lang.Resolution{Files: []string{"src/index.ts"}, Wide: "dist/index.js is taken to be built from src/index.ts"}},
		{name: "two files of one name", tree: mapTree{}.with("a.js", "a.ts"), importer: "b.ts", spec: "./a",
			want: lang.Resolution{Files: []string{"a.ts", "a.js"}, Wide: "both a.ts and a.js exist"}},
		{name: "missing", tree: mapTree{}.with("src/b.js"), importer: "src/b.js", spec: "./a",
			want: lang.Resolution{Missing: true}, waiting: []string{"src/a", "src/a.js", "src/a.ts", "src/a/index.js"}},
		{name: "json", tree: mapTree{}.with("src/a.json"), importer: "src/b.js", spec: "./a",
			want: lang.Resolution{Files: []string{"src/a.json"}}},
		{name: "builtin", tree: mapTree{}, importer: "b.js", spec: "fs/promises", want: lang.Resolution{Package: "node:fs/promises"}},
		{name: "node builtin", tree: mapTree{}, importer: "b.js", spec: "node:test", want: lang.Resolution{Package: "node:test"}},
		{name: "package", tree: mapTree{}, importer: "b.js", spec: "left-pad/x", want: lang.Resolution{Package: "left-pad"}},
		{name: "scoped package", tree: mapTree{}, importer: "b.js", spec: "@a/b/c", want: lang.Resolution{Package: "@a/b"}},
		{name: "alias", tree: mapTree{}.with("src/x/a.ts"), aliases: []lang.Alias{{Find: "@/*", Targets: []string{"src/*"}}}, importer: "b.ts", spec: "@/x/a",
			want: lang.Resolution{Files: []string{"src/x/a.ts"}, Mapped: true}},
		{name: "alias by name", tree: mapTree{}.with("src/x/a.ts"), aliases: []lang.Alias{{Find: "@", Targets: []string{"src"}}}, importer: "b.ts", spec: "@/x/a",
			want: lang.Resolution{Files: []string{"src/x/a.ts"}, Mapped: true}},
		{name: "alias by prefix", tree: mapTree{}.with("src/x/a.ts"), aliases: []lang.Alias{{Find: "~src/*", Targets: []string{"src/*"}}}, importer: "b.ts", spec: "~src/x/a",
			want: lang.Resolution{Files: []string{"src/x/a.ts"}, Mapped: true}},
		{name: "alias missing", tree: mapTree{}.with("src/x/b.ts"), aliases: []lang.Alias{{Find: "@/*", Targets: []string{"src/*"}}}, importer: "b.ts", spec: "@/x/a",
			want: lang.Resolution{Missing: true, Mapped: true}, waiting: []string{"src/x/a.ts"}},
		{name: "alias by a pattern", tree: mapTree{}.with("kit/src/a.ts"), importer: "b.ts", spec: "@kit/a",
			aliases: []lang.Alias{{Pattern: "^@(app|kit)/(.*)$", Targets: []string{"${1}/src/${2}", "${1}/${2}"}}}, want: lang.Resolution{Files: []string{"kit/src/a.ts"}, Mapped: true}},
		{name: "alias of what matches alone", tree: mapTree{}.with("kit/src/a/b.ts"), importer: "b.ts", spec: "@kit/a/b",
			aliases: []lang.Alias{{Pattern: "^@(app|kit)", Rest: true, Targets: []string{"${1}/src"}}}, want: lang.Resolution{Files: []string{"kit/src/a/b.ts"}, Mapped: true}},
		{name: "alias of a relative name", tree: mapTree{}.with("x.css", "mock.js"), importer: "b.js", spec: "./x.css",
			aliases: []lang.Alias{{Pattern: `\.css$`, Targets: []string{"mock.js"}}}, want: lang.Resolution{Files: []string{"mock.js", "x.css"}, Mapped: true}},
		{name: "alias to a module", tree: mapTree{}, importer: "b.js", spec: "lodash-es",
			aliases: []lang.Alias{{Pattern: "^lodash-es$", Modules: []string{"lodash"}}}, want: lang.Resolution{Package: "lodash", Mapped: true}},
		{name: "alias to a package of the workspace", tree: mapTree{"package.json": `{"workspaces":["p/*"]}`, "p/a/package.json": `{"name":"@w/a"}`}.with("p/a/index.ts"), importer: "b.js", spec: "a",
			aliases: []lang.Alias{{Find: "a", Modules: []string{"@w/a"}}}, want: lang.Resolution{Files: []string{"p/a/index.ts"}, Mapped: true}},
		// The same alias in two configurations.
		{name: "alias of the nearest folder", tree: mapTree{}.with("p/a/src/x.ts", "p/b/src/x.ts"), importer: "p/b/t/b.ts", spec: "@/x",
			aliases: []lang.Alias{{Scope: "p/a", Find: "@/*", Targets: []string{"p/a/src/*"}}, {Scope: "p/b", Find: "@/*", Targets: []string{"p/b/src/*"}}},
			want:    lang.Resolution{Files: []string{"p/b/src/x.ts"}, Mapped: true}},
		{name: "alias of whoever loads it", tree: mapTree{}.with("p/a/src/x.ts", "p/b/src/x.ts"), importer: "shared/c.ts", spec: "@/x",
			aliases: []lang.Alias{{Scope: "p/a", Find: "@/*", Targets: []string{"p/a/src/*"}}, {Scope: "p/b", Find: "@/*", Targets: []string{"p/b/src/*"}}},
			want:    lang.Resolution{Files: []string{"p/a/src/x.ts", "p/b/src/x.ts"}, Mapped: true}},
		{name: "another place to look in", tree: mapTree{}.with("src/util/a.ts"), importer: "b.ts", spec: "util/a",
			aliases: []lang.Alias{{Find: "*", Targets: []string{"src/*"}}}, want: lang.Resolution{Files: []string{"src/util/a.ts"}}},
		{name: "a folder of modules above", tree: mapTree{}.with("x/shared/a.ts"), importer: "x/y/b.ts", spec: "a",
			aliases: []lang.Alias{{Find: "*", Targets: []string{"shared/*"}, Above: true}}, want: lang.Resolution{Files: []string{"x/shared/a.ts"}}},
		{name: "another place and a package", tree: mapTree{"package.json": `{"dependencies":{"shared":"1"}}`}.with("src/shared.ts"), importer: "b.ts", spec: "shared",
			aliases: []lang.Alias{{Find: "*", Targets: []string{"src/*"}}}, want: lang.Resolution{Files: []string{"src/shared.ts"}, Package: "shared"}},
		{name: "a package beside another place", tree: mapTree{}, importer: "b.ts", spec: "left-pad",
			aliases: []lang.Alias{{Find: "*", Targets: []string{"src/*"}}}, want: lang.Resolution{Package: "left-pad"}},
		{name: "tsconfig paths", tree: mapTree{"tsconfig.json": "{ // c\n\"compilerOptions\": {\"paths\": {\"@app/*\": [\"./src/*\"],},},}"}.with("src/a.ts"),
			importer: "test/b.ts", spec: "@app/a", want: lang.Resolution{Files: []string{"src/a.ts"}}},
		{name: "tsconfig extends", tree: mapTree{"tsconfig.base.json": `{"compilerOptions":{"baseUrl":".","paths":{"~/*":["lib/*"]}}}`,
			"packages/p/tsconfig.json": `{"extends":"../../tsconfig.base"}`}.with("lib/a.ts"),
			importer: "packages/p/b.ts", spec: "~/a", want: lang.Resolution{Files: []string{"lib/a.ts"}}},
		{name: "tsconfig extends a package", tree: mapTree{"node_modules/@c/ts/tsconfig.json": `{"compilerOptions":{"paths":{"~/*":["${configDir}/lib/*"]}}}`,
			"tsconfig.json": `{"extends":["@c/ts"]}`}.with("lib/a.ts"),
			importer: "b.ts", spec: "~/a", want: lang.Resolution{Files: []string{"lib/a.ts"}}},
		{name: "tsconfig extends a package of the repository, linked", tree: mapTree{"package.json": `{"workspaces":["packages/*"]}`,
			"packages/conf/package.json": `{"name":"@acme/conf"}`, "packages/conf/tsconfig.json": `{"compilerOptions":{"paths":{"~lib/*":["../app/src/lib/*"]}}}`,
			"node_modules/@acme/conf/tsconfig.json": `{"compilerOptions":{"paths":{"~lib/*":["../app/src/lib/*"]}}}`,
			"packages/app/tsconfig.json":            `{"extends":"@acme/conf/tsconfig.json"}`}.with("packages/app/src/lib/deep.ts"),
			importer: "packages/app/test/b.ts", spec: "~lib/deep", want: lang.Resolution{Files: []string{"packages/app/src/lib/deep.ts"}}},
		{name: "tsconfig references", tree: mapTree{"tsconfig.json": `{"files":[],"references":[{"path":"./tsconfig.app.json"}]}`,
			"tsconfig.app.json": `{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}`}.with("src/a.vue"),
			importer: "src/b.ts", spec: "@/a.vue", want: lang.Resolution{Files: []string{"src/a.vue"}}},
		{name: "baseUrl", tree: mapTree{"jsconfig.json": `{"compilerOptions":{"baseUrl":"src"}}`}.with("src/util/a.js"),
			importer: "src/b.js", spec: "util/a", want: lang.Resolution{Files: []string{"src/util/a.js"}}},
		{name: "imports field", tree: mapTree{"package.json": `{"imports":{"#x/*":{"types":"./t/*.d.ts","default":"./src/x/*.js"}}}`}.with("src/x/a.js"),
			importer: "src/b.js", spec: "#x/a", want: lang.Resolution{Files: []string{"src/x/a.js"}}},
		{name: "self reference", tree: mapTree{"package.json": `{"name":"me","exports":{".":{"import":"./dist/index.mjs"},"./sub":"./dist/sub.js"}}`}.with("src/index.ts", "src/sub.ts"),
			importer: "test/b.ts", spec: "me/sub", want: lang.Resolution{Files: []string{"src/sub.ts"}, Wide: "dist/sub.js is taken to be built from src/sub.ts"}},
		{name: "npm workspace", tree: mapTree{"package.json": `{"workspaces":["packages/*"]}`, "packages/a/package.json": `{"name":"@w/a","main":"./lib/index.js"}`}.with("packages/a/src/index.ts"),
			importer: "packages/b/x.ts", spec: "@w/a", want: lang.Resolution{Files: []string{"packages/a/src/index.ts"},
				Wide: "packages/a/lib/index.js is taken to be built from packages/a/src/index.ts"}},
		{name: "pnpm workspace with outDir", tree: mapTree{"pnpm-workspace.yaml": "packages:\n  - 'libs/**'\n  - '!libs/old'\n",
			"libs/a/package.json": `{"name":"a","exports":{"./*":"./out/*.js"}}`, "libs/a/tsconfig.json": `{"compilerOptions":{"outDir":"out","rootDir":"code"}}`}.with("libs/a/code/x.ts"),
			importer: "libs/b/x.ts", spec: "a/x", want: lang.Resolution{Files: []string{"libs/a/code/x.ts"},
				Wide: "libs/a/out/x.js is taken to be built from libs/a/code/x.ts"}},
		{name: "workspace subpath without exports", tree: mapTree{"package.json": `{"workspaces":{"packages":["p/*"]}}`, "p/a/package.json": `{"name":"a"}`}.with("p/a/lib/x.js"),
			importer: "p/b/x.js", spec: "a/lib/x", want: lang.Resolution{Files: []string{"p/a/lib/x.js"}}},
		{name: "file dependency", tree: mapTree{"app/package.json": `{"dependencies":{"l":"file:../l"}}`, "l/package.json": `{"name":"l"}`}.with("l/index.js"),
			importer: "app/x.js", spec: "l", want: lang.Resolution{Files: []string{"l/index.js"}}},
		{name: "into node_modules", tree: mapTree{}.with("node_modules/x/a.js"), importer: "b.js", spec: "./node_modules/x/a",
			want: lang.Resolution{Package: "x"}},
		{name: "computed", tree: mapTree{}.with("src/l/a.js", "src/l/b/c.js", "src/m.js"), importer: "src/b.js", spec: "./l/", kind: lang.Wide,
			want: lang.Resolution{Files: []string{"src/l/a.js", "src/l/b/c.js"}, Wide: "every file that matches ./l/"}},
		{name: "glob", tree: mapTree{}.with("src/l/a.js", "src/l/a.ts", "src/m.js"), importer: "src/b.js", spec: "./**/*.ts", kind: lang.Wide,
			want: lang.Resolution{Files: []string{"src/l/a.ts"}, Wide: "every file that matches ./**/*.ts"}},
		{name: "wholly computed", tree: mapTree{}.with("a.js"), importer: "b.js", kind: lang.Wide, want: lang.Resolution{Wide: "the path is computed"}},
		{name: "manual mock", tree: mapTree{}.with("src/a.ts", "src/__mocks__/a.ts"), importer: "src/b.test.ts", spec: "./a", kind: lang.Mock,
			want: lang.Resolution{Files: []string{"src/a.ts", "src/__mocks__/a.ts"}}},
		{name: "manual mock of a package", tree: mapTree{}.with("__mocks__/axios.js"), importer: "src/b.test.ts", spec: "axios", kind: lang.Mock,
			want: lang.Resolution{Files: []string{"__mocks__/axios.js"}, Package: "axios"}},
		{name: "url asset", tree: mapTree{}.with("src/w.js"), importer: "src/b.js", spec: "w.js", kind: lang.Asset,
			want: lang.Resolution{Files: []string{"src/w.js"}}},
		{name: "not built yet", tree: mapTree{"tsconfig.json": `{"compilerOptions":{"outDir":"./dist"},"include":["code/**/*"]}`}.with("code/x.ts"), importer: "test/b.ts", spec: "../dist/x",
			want: lang.Resolution{Files: []string{"code/x.ts"}, Missing: true, Wide: "dist/x is taken to be built from code/x.ts"}},
		{name: "built", tree: mapTree{}.with("src/x.ts", "dist/x.js"), importer: "test/b.js", spec: "../dist/x.js",
			want: lang.Resolution{Files: []string{"dist/x.js", "src/x.ts"}, Wide: "dist/x.js is taken to be built from src/x.ts"}},
		{name: "a source folder called lib", tree: mapTree{}.with("lib/a.js", "src/x.js"), importer: "b.js", spec: "./lib/x",
			want: lang.Resolution{Missing: true}},
		{name: "declared package under a path pattern", tree: mapTree{"package.json": `{"dependencies":{"@v/repl":"^1"}}`, "tsconfig.json": `{"compilerOptions":{"paths":{"@v/*":["./p/*/src"]}}}`},
			importer: "b.ts", spec: "@v/repl", want: lang.Resolution{Package: "@v/repl"}},
		{name: "outside the repository", tree: mapTree{}, importer: "b.js", spec: "../../x", want: lang.Resolution{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Language{Aliases: tt.aliases}.NewResolver(tt.tree)
			kind := tt.kind
			if kind == "" {
				kind = lang.Static
			}
			got := r.Resolve(tt.importer, lang.Import{Kind: kind, Specifier: tt.spec})
			for _, w := range tt.waiting {
				found := false
				for _, g := range got.Waiting {
					found = found || g == w
				}
				if !found {
					t.Errorf("Waiting = %v, want %s among them", got.Waiting, w)
				}
			}
			got.Waiting = nil
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Resolve(%q, %q) (-want +got):\n%s", tt.importer, tt.spec, d)
			}
		})
	}
}

func TestSpecifiers(t *testing.T) {
	ts := mapTree{"tsconfig.json": `{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}`}
	tests := []struct {
		name                   string
		tree                   mapTree
		importer, target, like string
		want                   string // the first
	}{
		{"omit", mapTree{}, "src/b.ts", "src/x/a.ts", "./old", "./x/a"},
		{"js for ts", mapTree{}, "src/b.ts", "src/x/a.ts", "./old.js", "./x/a.js"},
		{"real", mapTree{}, "src/b.ts", "src/x/a.ts", "./old.ts", "./x/a.ts"},
		{"up", mapTree{}, "test/u/b.js", "src/a.js", "../../src/old.js", "../../src/a.js"},
		{"index left out", mapTree{}, "b.ts", "x/index.ts", "./x", "./x"},
		{"index written", mapTree{}, "b.ts", "y/index.ts", "./x/index", "./y/index"},
		{"index with extension", mapTree{}, "b.mjs", "y/index.mjs", "./x.mjs", "./y/index.mjs"},
		{"alias kept", ts, "src/b.ts", "src/x/a.ts", "@/old", "@/x/a"},
		{"alias not taken", ts, "src/b.ts", "src/x/a.ts", "./old", "./x/a"},
		{"alias by the other imports", mapTree{"tsconfig.json": ts["tsconfig.json"], "src/b.ts": "import c from '@/c';\nimport d from '@/d'", "src/c.ts": "", "src/d.ts": ""},
			"src/b.ts", "src/x/a.ts", "", "@/x/a"},
		{"extension by the other imports", mapTree{"src/b.ts": "import c from './c.js'", "src/c.ts": ""}, "src/b.ts", "src/a.ts", "", "./a.js"},
		{"extension by the neighbours", mapTree{"src/b.ts": "", "src/e.ts": "import c from './c.js'", "src/c.ts": ""}, "src/b.ts", "src/a.ts", "", "./a.js"},
		{"extension by the module system", mapTree{"package.json": `{"type":"module"}`}, "b.js", "a.js", "", "./a.js"},
		{"commonjs", mapTree{"package.json": `{}`}, "b.js", "lib/a.js", "", "./lib/a"},
		{"json", mapTree{}, "b.js", "a.json", "./c", "./a.json"},
		{"component", mapTree{}, "b.ts", "A.vue", "./C.vue", "./A.vue"},
		{"imports field", mapTree{"package.json": `{"imports":{"#x/*":"./src/x/*.js"}}`}, "b.js", "src/x/a.js", "#x/old", "#x/a"},
		{"workspace", mapTree{"package.json": `{"workspaces":["p/*"]}`, "p/a/package.json": `{"name":"@w/a","main":"src/index.ts"}`, "p/b/package.json": `{"name":"@w/b"}`},
			"p/b/x.ts", "p/a/src/index.ts", "", "@w/a"},
		{"own folder", mapTree{}, "src/b.ts", "src/index.ts", "./old", "./index"},
		{"parent", mapTree{}, "src/x/b.ts", "src/index.ts", "../old", ".."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := tt.tree.with(tt.target)
			if _, ok := tree[tt.importer]; !ok {
				tree[tt.importer] = ""
			}
			got := Language{}.NewResolver(tree).Specifiers(tt.importer, tt.target, tt.like)
			if len(got) == 0 || got[0] != tt.want {
				t.Errorf("Specifiers(%q, %q, %q) = %v, want %q first", tt.importer, tt.target, tt.like, got, tt.want)
			}
		})
	}
}

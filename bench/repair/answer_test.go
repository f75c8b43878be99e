package main

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestPlaceWithoutAnswer holds that a fault which no right answer turns green
// again is no case, and that another place is drawn.
func TestPlaceWithoutAnswer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for regreen is a script of a shell")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	// The stand-in repairs nothing. Everything passes where each file that the
	// test loads says the test's names, and the test's text names a function.
	const program = `#!/bin/sh
case "$*" in *--all*) ;; *) echo '{"outcome":"failed"}'; exit 1;; esac
for name in $(sed -n 's/.*{ \(.*\) } = require.*/\1/p' orders.test.js) $(sed -n "s/.*called '\(.*\)'.*/\1/p" orders.test.js); do
	grep -q "function $name(" orders.js || { echo '{"outcome":"failed"}'; exit 1; }
done
echo '{"outcome":"passed","frameworks":["jest"]}'
`
	for _, tc := range []struct {
		name, text string
		want       verdict
		invalid    int
	}{
		{"the answer passes", "adds", left, 0},
		{"the test expects the old name in a text", `it is called 'total' now`, noAnswer, tries},
	} {
		t.Run(tc.name, func(t *testing.T) {
			from, work := filepath.Join(t.TempDir(), "shop"), t.TempDir()
			if err := os.MkdirAll(from, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				filepath.Join(from, "orders.js"):      "function total(a, b) {\n  return a + b;\n}\nmodule.exports = { total };\n",
				filepath.Join(from, "orders.test.js"): "const { total } = require('./orders');\ntest(\"" + tc.text + "\", () => { expect(total(1, 2)).toBe(3); });\n",
				filepath.Join(work, "regreen.sh"):     program,
			} {
				if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r := repo{dir: from, environ: append(os.Environ(), "GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@example.invalid", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@example.invalid")}
			if _, err := r.git(t.Context(), "init", "-q"); err != nil {
				t.Fatal(err)
			}
			if err := r.commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := &store{}
			o := options{seed: 7, each: 1, kinds: []string{"export"}, work: work, program: filepath.Join(work, "regreen.sh"), limit: time.Minute}
			if err := o.repo(t.Context(), from, s); err != nil {
				t.Fatal(err)
			}
			if len(s.list) != 1 || s.list[0].Verdict != tc.want || s.list[0].Invalid != tc.invalid {
				t.Errorf("%+v, want %s after %d invalid places", s.list, tc.want, tc.invalid)
			}
		})
	}
}

// TestAnswersOfARename holds which words go along with a rename.
func TestAnswersOfARename(t *testing.T) {
	site := newSite(rand.New(rand.NewPCG(1, 1)), tree{
		"pkg/shop.py":       []byte("__all__ = ['total']\ndef total(a): return a\n"),
		"pkg/cart.py":       []byte("from .shop import total\nprint(total(1), 'the total')\n"),
		"tests/test_it.py":  []byte("from pkg import shop\nname = 'total'\npatch('pkg.shop.total')\nassert shop.total(1) == 1\n"),
		"docs/unrelated.js": []byte("total();\n"),
	}, langs())
	broken := map[string][]byte{"pkg/shop.py": []byte("__all__ = ['total']\ndef sum_of(a): return a\n")}
	got := site.renamed("pkg/shop.py", "total", "sum_of", broken)
	want := map[string]string{
		"pkg/shop.py":      "__all__ = ['sum_of']\ndef sum_of(a): return a\n",
		"pkg/cart.py":      "from .shop import sum_of\nprint(sum_of(1), 'the total')\n",
		"tests/test_it.py": "from pkg import shop\nname = 'total'\npatch('pkg.shop.total')\nassert shop.sum_of(1) == 1\n",
	}
	check := func(got map[string][]byte) {
		t.Helper()
		if files := slices.Sorted(maps.Keys(got)); !slices.Equal(files, slices.Sorted(maps.Keys(want))) {
			t.Errorf("edited %q", files)
		}
		for rel, text := range want {
			if string(got[rel]) != text {
				t.Errorf("%s is\n%s\nwant\n%s", rel, got[rel], text)
			}
		}
	}
	if len(got) != 2 {
		t.Fatalf("%d answers, want 2", len(got))
	}
	check(got[0])
	want["tests/test_it.py"] = "from pkg import shop\nname = 'sum_of'\npatch('pkg.shop.sum_of')\nassert shop.sum_of(1) == 1\n"
	check(got[1])
}

// TestAnswerOfAMove holds that a moved module is the same one under both names,
// while modules that import each other in a circle load, and that its own
// imports lead where they led.
func TestAnswerOfAMove(t *testing.T) {
	site := newSite(rand.New(rand.NewPCG(1, 1)), tree{
		"pkg/__init__.py": []byte("from .shop import *\nfrom . import shop as s\nassert shop is s and s.other.total is total\n"),
		"pkg/shop.py":     []byte("def total(a): return a\nfrom . import other\n"),
		"pkg/other.py":    []byte("from .shop import total\n"),
		"src/shop.ts":     []byte("import { x } from './x';\nimport y from '../y';\nexport default x + y;\n"),
		"lib/shop.js":     []byte("exports.total = require('./sum');\n"),
	}, langs())
	answer := func(from, to string) map[string][]byte {
		return site.movedToo(from, to, map[string][]byte{from: nil, to: site.tree[from]})[0]
	}
	for file, want := range map[string]string{
		"src/shop.ts":       "export * from './inner/shop';\nexport { default } from './inner/shop';\n",
		"src/inner/shop.ts": "import { x } from '../x';\nimport y from '../../y';\nexport default x + y;\n",
	} {
		if got := answer("src/shop.ts", "src/inner/shop.ts")[file]; string(got) != want {
			t.Errorf("%s is\n%s\nwant\n%s", file, got, want)
		}
	}
	if got := answer("lib/shop.js", "lib/shop-core.js")["lib/shop.js"]; string(got) != "module.exports = require('./shop-core.js');\n" {
		t.Errorf("lib/shop.js is\n%s", got)
	}
	for _, to := range []string{"pkg/inner/shop.py", "pkg/shop_core.py"} {
		dir := t.TempDir()
		files := maps.Clone(map[string][]byte(site.tree))
		maps.Copy(files, answer("pkg/shop.py", to))
		files["pkg/inner/__init__.py"] = []byte{}
		for rel, src := range files {
			abs := filepath.Join(dir, filepath.FromSlash(rel))
			if err := errors.Join(os.MkdirAll(filepath.Dir(abs), 0o755), os.WriteFile(abs, src, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("python3", "-c", "import pkg")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", to, err, out)
		}
	}
}

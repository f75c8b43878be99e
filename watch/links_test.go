package watch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLinks holds that linked folders outside the repository are watched at
// their real path, and loops are not followed.
//
// vitest-dev/vitest#4101; affected maps the real path back to the link
func TestLinks(t *testing.T) {
	r := repoWith(t, ".gitignore", "node_modules\n", "src/a.ts", "1\n", "packages/p/i.ts", "1\n")
	outside := filepath.Join(filepath.Dir(r.Dir), "outside")
	for _, d := range []string{"shared/deep", "pkg", "scoped", "store/node_modules/z"} {
		must(t, os.MkdirAll(filepath.Join(outside, d), 0o755))
	}
	write := func(rel, s string) { t.Helper(); must(t, os.WriteFile(filepath.Join(outside, rel), []byte(s), 0o644)) }
	write("shared/deep/s.ts", "1")
	write("pkg/i.ts", "1")
	must(t, os.MkdirAll(r.Path("node_modules/@me"), 0o755))
	for from, to := range map[string]string{
		"src/shared": outside + "/shared", "src/loop": r.Dir, "src/up": filepath.Dir(r.Dir), "src/same": r.Path("packages"),
		"node_modules/pkg": outside + "/pkg", "node_modules/@me/s": outside + "/scoped", "node_modules/p": r.Path("packages/p"),
		"node_modules/z": outside + "/store/node_modules/z",
	} {
		must(t, os.Symlink(to, r.Path(from)))
	}
	f := start(t, r, nil)
	if got := f.w.Info().Folders; got != 8 { // root, src, packages, p, shared, deep, pkg, scoped
		t.Errorf("%d folders are watched, want 8", got)
	}
	write("shared/deep/s.ts", "2")
	f.collect([]string{"src/shared/deep/s.ts"})
	write("pkg/i.ts", "2")
	f.collect([]string{"node_modules/pkg/i.ts"})
	write("scoped/n.ts", "2")
	f.collect([]string{"node_modules/@me/s/n.ts"})
	r.Write("packages/p/i.ts", "2\n")
	f.collect([]string{"packages/p/i.ts"})
	write("store/node_modules/z/i.js", "2")
	f.nothing()
	must(t, os.Remove(r.Path("src/shared")))
	f.collect([]string{"src/shared", "src/shared/deep/s.ts"})
	must(t, os.Symlink(outside+"/shared", r.Path("src/again")))
	f.collect([]string{"src/again", "src/again/deep/s.ts"})
	write("shared/deep/s.ts", "3")
	f.collect([]string{"src/again/deep/s.ts"})
}

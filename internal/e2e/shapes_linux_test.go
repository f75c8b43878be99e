package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"regreen/cycle"
	"regreen/internal/git/gittest"
)

// numbered says which hazard of facts/sandbox.md 8 a shape belongs to.
func numbered(shape string) string {
	switch shape {
	case "linked worktree", "worktree of a bare repository", "submodule", "dirty submodule", "embedded repository":
		return "14 "
	case "unborn", "detached":
		return "15 "
	}
	return "13 "
}

// TestShapes has one repair made, merged and undone in every shape of
// repository, at every level; every other shape as the unprivileged user.
func TestShapes(t *testing.T) {
	atCells(t, func(t *testing.T, c cell) {
		for n, s := range gittest.Shapes() {
			if !c.takes(n) {
				continue
			}
			t.Run("hazard/"+strings.ReplaceAll(numbered(s.Name)+s.Name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				l := newLab(t, c)
				l.shaped(s)
				l.put(s.Prefix+"src/tax.js", brokenTax)
				l.frozen()
				d, res := l.run()
				l.isRepaired(d, res, s.Prefix+"src/tax.js")
				if got := l.read(s.Prefix + "src/tax.js"); got != wholeTax {
					t.Errorf("repaired: %q", got)
				}
				l.undone()
			})
		}
		for _, h := range noShapes() {
			t.Run("hazard/"+strings.ReplaceAll(h.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				h.do(newLab(t, c))
			})
		}
	})
}

// shaped makes the shop in a shape. l.dir becomes the working tree.
func (l *lab) shaped(s gittest.Shape) {
	l.t.Helper()
	files := l.shopFiles()
	module := map[string]string{"src/tax.js": files["src/tax.js"]}
	delete(files, "src/tax.js")
	files["test/tax.test.js"] = strings.Replace(files["test/tax.test.js"], "'../src", "'../"+s.Prefix+"src", 1)
	l.dir = s.Make(gittest.At(l.t, l.dir), files, module).Dir
}

// noShapes are places in which there is nothing to do, and it must be said.
func noShapes() []hazard {
	refused := func(code string, make func(l *lab)) func(l *lab) {
		return func(l *lab) {
			make(l)
			l.frozen()
			d, res := l.run()
			if d.Outcome != cycle.Errored || res.exit != 3 || d.Error == nil || d.Error.Code != code || d.Error.Hint == "" {
				l.t.Errorf("outcome %q, exit %d, error %+v, want %s\n%s", d.Outcome, res.exit, d.Error, code, res.stderr)
			}
			l.unchanged()
		}
	}
	return []hazard{
		{"15 a bare repository", refused("bare_repository", func(l *lab) { l.in(".", "init", "-q", "--bare", ".") })},
		{"15 no repository", refused("not_a_repository", func(l *lab) { l.shop() })},
		{"15 inside .git", refused("not_a_repository", func(l *lab) {
			l.shop()
			l.init()
			l.dir = filepath.Join(l.dir, ".git")
		})},
		{"15 another user's repository", func(l *lab) {
			if os.Getuid() != 0 {
				l.t.Skip("needs root to give a repository away")
			}
			l.shop()
			l.init()
			l.commit()
			l.write("src/tax.js", brokenTax)
			refused("unsafe_ownership", func(l *lab) {
				user := l.user
				l.give(61236)
				l.user = user
				l.cell.user = 0 // frozen leaves the owner
				if err := os.Chmod(l.path("src/tax.js"), 0o666); err != nil {
					l.t.Fatal(err)
				}
			})(l)
		}},
	}
}

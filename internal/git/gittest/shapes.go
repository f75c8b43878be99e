package gittest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Shape is one of the forms that a user's repository comes in.
type Shape struct {
	Name string
	// Prefix is the folder of the working tree in which the module lies, "" or
	// with a slash at its end.
	Prefix string
	// CommandLine says that go-git cannot read the repository, or not rightly:
	// only git itself may be asked.
	CommandLine bool
	// Unborn says that nothing is committed.
	Unborn bool

	make func(g *Repo, files, module map[string]string) *Repo
}

// Make builds the shape in the folder of g, which is empty, and beside it: the
// files in the working tree, the module's in its prefix, all of them committed
// where anything is. It gives the working tree. A shape that this git does not
// know skips the test.
func (s Shape) Make(g *Repo, files, module map[string]string) *Repo {
	g.t.Helper()
	return s.make(g, files, module)
}

func (r *Repo) init(args ...string) {
	r.t.Helper()
	r.Git(append(append([]string{"init", "-q", "-b", "main"}, args...), ".")...)
}

// writeAll writes files below a prefix, in the order of their names.
func (r *Repo) writeAll(prefix string, files map[string]string) {
	r.t.Helper()
	for _, rel := range slices.Sorted(maps.Keys(files)) {
		r.Write(prefix+rel, files[rel])
	}
}

// beside is a folder beside the repository's.
func (r *Repo) beside(name string) *Repo { return At(r.t, filepath.Join(filepath.Dir(r.Dir), name)) }

// origin commits all in a repository of its own beside g, with a commit before
// it in which everything was another.
func (r *Repo) origin(name string, files ...map[string]string) *Repo {
	r.t.Helper()
	o := r.beside(name)
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	o.init()
	o.Write("old.txt", "of the first commit\n")
	o.Commit("zero")
	if err := os.Remove(o.Path("old.txt")); err != nil {
		r.t.Fatal(err)
	}
	for _, f := range files {
		o.writeAll("", f)
	}
	o.Git("config", "uploadpack.allowFilter", "true")
	o.Commit("one")
	return o
}

// cloned gives a clone of an origin in g's folder.
func cloned(args ...string) func(g *Repo, files, module map[string]string) *Repo {
	return func(g *Repo, files, module map[string]string) *Repo {
		o := g.origin("origin", files, module)
		g.Git(append(append([]string{"clone", "-q"}, args...), "file://"+o.Dir, ".")...)
		return g
	}
}

// settled is a plain repository to which something is done after its commit.
func settled(do func(g *Repo)) func(g *Repo, files, module map[string]string) *Repo {
	return func(g *Repo, files, module map[string]string) *Repo {
		g.init()
		g.writeAll("", files)
		g.writeAll("", module)
		g.Write("elsewhere/big.txt", "not needed here\n")
		g.Commit("one")
		do(g)
		return g
	}
}

// initialized is a plain repository made by an init of another kind.
func initialized(args ...string) func(g *Repo, files, module map[string]string) *Repo {
	return func(g *Repo, files, module map[string]string) *Repo {
		probe := g.beside("probe")
		if err := os.Mkdir(probe.Dir, 0o755); err != nil {
			g.t.Fatal(err)
		}
		if out, err := probe.try(append([]string{"init", "-q"}, args...)...); err != nil {
			g.t.Skipf("this git does not know %s: %.60s", args, out)
		}
		if err := os.RemoveAll(probe.Dir); err != nil {
			g.t.Fatal(err)
		}
		g.init(args...)
		g.writeAll("", files)
		g.writeAll("", module)
		g.Commit("one")
		return g
	}
}

// Shapes are all of them.
func Shapes() []Shape {
	git := func(args ...string) func(g *Repo) { return func(g *Repo) { g.Git(args...) } }
	return []Shape{
		{Name: "plain", make: settled(func(*Repo) {})},
		{Name: "packed", make: settled(func(g *Repo) { g.Git("gc", "-q"); g.Git("pack-refs", "--all") })},
		{Name: "unborn", Unborn: true, make: func(g *Repo, files, module map[string]string) *Repo {
			g.init()
			g.writeAll("", files)
			g.writeAll("", module)
			return g
		}},
		{Name: "detached", make: settled(git("checkout", "-q", "--detach"))},
		{Name: "linked worktree", make: func(g *Repo, files, module map[string]string) *Repo {
			g.origin("origin", files, module).Git("worktree", "add", "-q", "-b", "side", g.Dir)
			return g
		}},
		{Name: "worktree of a bare repository", make: func(g *Repo, files, module map[string]string) *Repo {
			o := g.origin("origin", files, module)
			o.Git("clone", "-q", "--bare", o.Dir, "../bare.git")
			g.beside("bare.git").Git("worktree", "add", "-q", g.Dir, "main")
			return g
		}},
		{Name: "submodule", make: func(g *Repo, files, module map[string]string) *Repo {
			lib := g.origin("lib", files, module)
			g.init()
			g.Git("submodule", "add", "-q", lib.Dir, "sub")
			g.Commit("one")
			return At(g.t, g.Path("sub"))
		}},
		{Name: "dirty submodule", Prefix: "sub/", make: func(g *Repo, files, module map[string]string) *Repo {
			lib := g.origin("lib", module, map[string]string{"other.txt": "theirs\n"})
			g.init()
			g.writeAll("", files)
			g.Git("submodule", "add", "-q", lib.Dir, "sub")
			g.Git("submodule", "add", "-q", lib.Dir, "clean")
			g.Commit("one")
			g.Write("sub/other.txt", "edited\n", "sub/new.txt", "untracked\n")
			return g
		}},
		{Name: "embedded repository", Prefix: "emb/", make: func(g *Repo, files, module map[string]string) *Repo {
			g.init()
			g.writeAll("", files)
			g.Commit("one")
			g.writeAll("emb/", module)
			emb := At(g.t, g.Path("emb"))
			emb.init()
			emb.Commit("its own")
			return g
		}},
		{Name: "sparse checkout", make: settled(git("sparse-checkout", "set", "src", "test")), CommandLine: true},
		{Name: "worktreeConfig", CommandLine: true, make: settled(func(g *Repo) {
			g.Git("config", "extensions.worktreeConfig", "true")
			g.Git("config", "--worktree", "core.abbrev", "12")
		})},
		{Name: "partial clone", make: cloned("--filter=blob:none")},
		{Name: "sparse partial clone", CommandLine: true, make: func(g *Repo, files, module map[string]string) *Repo {
			o := g.origin("origin", files, module, map[string]string{"elsewhere/big.txt": "never fetched\n"})
			g.Git("clone", "-q", "--filter=blob:none", "--sparse", "file://"+o.Dir, ".")
			g.Git("sparse-checkout", "set", "src", "test")
			return g
		}},
		{Name: "sha256", make: initialized("--object-format=sha256"), CommandLine: true},
		{Name: "reftable", make: initialized("--ref-format=reftable"), CommandLine: true},
		{Name: "split index", make: settled(func(g *Repo) {
			g.Git("config", "core.splitIndex", "true")
			g.Git("update-index", "--split-index")
		})},
		{Name: "index of version 4", make: settled(git("update-index", "--index-version", "4"))},
		{Name: "untracked cache", make: settled(git("update-index", "--force-untracked-cache"))},
		{Name: "skip-worktree", make: settled(func(g *Repo) {
			g.Git("update-index", "--skip-worktree", "elsewhere/big.txt")
			if err := os.Remove(g.Path("elsewhere/big.txt")); err != nil {
				g.t.Fatal(err)
			}
		})},
		{Name: "shallow", make: cloned("--depth=1")},
		{Name: "borrowed objects", make: func(g *Repo, files, module map[string]string) *Repo {
			o := g.origin("origin", files, module)
			g.Git("clone", "-q", "--shared", o.Dir, ".")
			return g
		}},
		{Name: "separate git folder", make: initialized("--separate-git-dir=../apart.git")},
		{Name: "git folder behind a link", CommandLine: true, make: settled(func(g *Repo) {
			if err := os.Rename(g.Path(".git"), g.beside("apart.git").Dir); err != nil {
				g.t.Fatal(err)
			}
			if err := os.Symlink("../apart.git", g.Path(".git")); err != nil {
				g.t.Skip(err)
			}
		})},
		{Name: "core.worktree", make: settled(func(g *Repo) { g.Git("config", "core.worktree", g.Dir) })},
		{Name: "reference to a reference", make: settled(func(g *Repo) {
			g.Git("branch", "deep/er")
			g.Git("symbolic-ref", "refs/heads/alias", "refs/heads/deep/er")
			g.Git("symbolic-ref", "HEAD", "refs/heads/alias")
		})},
	}
}

// try is Git for what may fail.
func (r *Repo) try(args ...string) (string, error) {
	out, err := r.command(args...).CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

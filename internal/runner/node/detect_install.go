package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"regreen/internal/plain"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

// installed is a package as node_modules holds it.
type installed struct {
	name    string
	dir     string // abs, links not resolved
	version string
	bins    map[string]string
	outside bool // it lies in an ancestor of the repository
}

// resolve finds the first of the packages that the folder's code would load:
// in its own node_modules, then in those of every folder above, beyond the
// repository too.
func (r *repo) resolve(dir string, names []string) (installed, bool) {
	for _, name := range names {
		for abs := r.abs(dir); ; abs = filepath.Dir(abs) {
			if p, ok := readInstalled(filepath.Join(abs, "node_modules", filepath.FromSlash(name)), name); ok {
				p.outside = len(abs) < len(filepath.Clean(r.in.Root))
				return p, true
			}
			if filepath.Dir(abs) == abs {
				break
			}
		}
	}
	return installed{}, false
}

func readInstalled(dir, name string) (installed, bool) {
	src, err := plain.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return installed{}, false
	}
	var doc struct {
		Version string
		Bin     json.RawMessage
	}
	if json.Unmarshal(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), &doc) != nil {
		return installed{}, false
	}
	p := installed{name: name, dir: dir, version: doc.Version, bins: map[string]string{}}
	var one string
	if json.Unmarshal(doc.Bin, &one) == nil {
		p.bins[path.Base(name)] = one
	} else {
		_ = json.Unmarshal(doc.Bin, &p.bins)
	}
	return p, true
}

// bin is the absolute path of the first of the binaries that the package has.
func (p installed) bin(names []string) (string, error) {
	for _, n := range names {
		rel, ok := p.bins[n]
		if !ok {
			continue
		}
		abs := filepath.Join(p.dir, filepath.FromSlash(rel))
		if _, err := os.Stat(abs); err != nil {
			return "", fmt.Errorf("%s is missing", abs)
		}
		return abs, nil
	}
	return "", fmt.Errorf("%s has no binary %s", p.name, strings.Join(names, " or "))
}

// ownInstall tells whether the folder has installed packages of its own.
func (r *repo) ownInstall(dir string) bool {
	st, err := os.Stat(r.abs(path.Join(dir, "node_modules")))
	return err == nil && st.IsDir()
}

// otherInstalled tells whether another framework lies beside the one of own.
func (r *repo) otherInstalled(own []string) bool {
	for _, name := range []string{"jest", "jest-cli", "vitest", "mocha"} {
		if slices.Contains(own, name) {
			continue
		}
		if p, ok := r.resolve(".", []string{name}); ok && !p.outside {
			return true
		}
	}
	return false
}

// plugAndPlay tells whether yarn's Plug'n'Play stands in for node_modules.
func (r *repo) plugAndPlay(dir string) bool {
	for ; ; dir = path.Dir(dir) {
		for _, f := range []string{".pnp.cjs", ".pnp.js", ".pnp.loader.mjs"} {
			if _, err := os.Stat(r.abs(path.Join(dir, f))); err == nil {
				return true
			}
		}
		if dir == "." {
			return false
		}
	}
}

// installCommand names the project's own package manager, by its lock file.
func (r *repo) installCommand(dir string) string {
	locks := []struct{ file, command string }{
		{"pnpm-lock.yaml", "pnpm install"}, {"yarn.lock", "yarn install"}, {"bun.lock", "bun install"},
		{"bun.lockb", "bun install"}, {"package-lock.json", "npm ci"}, {"npm-shrinkwrap.json", "npm ci"},
	}
	for ; ; dir = path.Dir(dir) {
		for _, l := range locks {
			if r.files[path.Join(dir, l.file)] {
				return l.command
			}
		}
		if m := r.manifests[dir]; m != nil {
			var pm string
			_ = json.Unmarshal(m.raw["packageManager"], &pm)
			if name, _, ok := strings.Cut(pm, "@"); ok && name != "" {
				return name + " install"
			}
		}
		if dir == "." {
			return "npm install"
		}
	}
}

// nodeFinder finds the node to start; it asks a version manager's shim once.
type nodeFinder struct {
	in     runner.DetectInput
	onPath string
	asked  bool
	err    error
}

func newNodeFinder(in runner.DetectInput) *nodeFinder { return &nodeFinder{in: in} }

// find gives the node of the npm package "node" where the project has it, else
// the one on PATH.
func (n *nodeFinder) find(ctx context.Context, r *repo, dir string) (string, error) {
	if p, ok := r.resolve(dir, []string{"node"}); ok {
		for _, rel := range []string{"bin/node", "bin/node.exe"} {
			abs := filepath.Join(p.dir, filepath.FromSlash(rel))
			if executable(abs) {
				return abs, nil
			}
		}
	}
	if !n.asked {
		n.asked = true
		n.onPath, n.err = LookPath(n.in.Environ, "node")
		if n.err == nil && shim(n.onPath) {
			n.onPath = n.behind(ctx, n.onPath)
		}
	}
	return n.onPath, n.err
}

// shim tells a version manager's stand-in, which would look the version up at
// every start.
func shim(abs string) bool {
	s := filepath.ToSlash(abs)
	return strings.Contains(s, "/shims/") || strings.Contains(s, "/.volta/") || strings.Contains(s, "/mise/")
}

// behind asks a shim for the program it starts; on any trouble the shim stays.
func (n *nodeFinder) behind(ctx context.Context, abs string) string {
	if n.in.Exec == nil {
		return abs
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out := proc.NewTail(8 << 10)
	exit, err := n.in.Exec.Run(ctx, proc.Cmd{Path: abs, Args: []string{"-p", "process.execPath"},
		Dir: n.in.Root, Env: n.in.Environ, Stdout: out})
	got := strings.TrimSpace(out.String())
	if err != nil || exit.Code != 0 || !filepath.IsAbs(got) || !executable(got) {
		return abs
	}
	return got
}

// errNotFound is LookPath's answer for a program that no folder of PATH has.
var errNotFound = errors.New("not found on PATH")

// LookPath finds a program in the PATH of environ, not of this process.
func LookPath(environ []string, name string) (string, error) {
	for _, dir := range filepath.SplitList(Getenv(environ, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		names := []string{name}
		if runtime.GOOS == "windows" {
			names = []string{name + ".exe"}
		}
		for _, n := range names {
			if abs := filepath.Join(dir, n); executable(abs) {
				return abs, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", name, errNotFound)
}

// Getenv reads a variable from an environment list; the last entry wins.
func Getenv(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		k, v, ok := strings.Cut(environ[i], "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v
		}
	}
	return ""
}

func executable(abs string) bool {
	st, err := os.Stat(abs)
	return err == nil && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0)
}

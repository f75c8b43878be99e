package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	gogit "github.com/go-git/go-git/v5"
)

// Repo is the user's repository. Its methods may be used by several goroutines.
type Repo struct {
	run       *Runner
	root      string
	gitDir    string
	commonDir string
	hash      string // sha1 | sha256
	config    map[string]string
	heads     []headReader

	mu     sync.Mutex // guards the fields below
	index  indexRead
	trees  map[string]map[string]treeEntry
	blobs  *batch
	bases  map[string]string // what Base said of revisions other than HEAD
	closed bool
	// attributes are the .gitattributes files that a listing saw, by rel.
	attributes map[string]bool
}

// Open finds the repository that dir lies in, from any folder of it. environ
// is the user's environment. An *Error names what is wrong and what to do.
func Open(ctx context.Context, dir string, environ []string) (*Repo, error) {
	run, err := NewRunner(environ)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	out, err := run.Run(ctx, Call{Dir: abs, Args: []string{"rev-parse", "--path-format=absolute",
		"--is-bare-repository", "--show-object-format", "--git-dir", "--git-common-dir", "--show-toplevel"}})
	var ee *ExitError
	if errors.As(err, &ee) {
		return nil, openError(abs, ee, string(out))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", abs, err)
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(f) < 5 {
		return nil, fmt.Errorf("open %s: git rev-parse gave %q", abs, out)
	}
	if len(f) > 5 {
		// A path holds a newline: only one at a time can be told.
		f = f[:2]
		for _, what := range []string{"--git-dir", "--git-common-dir", "--show-toplevel"} {
			one, err := run.Run(ctx, Call{Dir: abs, Args: []string{"rev-parse", "--path-format=absolute", what}})
			if err != nil {
				return nil, fmt.Errorf("open %s: %w", abs, err)
			}
			f = append(f, strings.TrimSuffix(string(one), "\n"))
		}
	}
	root, err := filepath.EvalSymlinks(filepath.FromSlash(f[4]))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", abs, err)
	}
	r := &Repo{run: run, root: root, hash: f[1], gitDir: filepath.FromSlash(f[2]), commonDir: filepath.FromSlash(f[3])}
	if err := r.readConfig(ctx); err != nil {
		return nil, err
	}
	r.heads = []headReader{cliHead{r}}
	if r.config["extensions.refstorage"] == "" && r.hash == "sha1" {
		// go-git v5 loses a linked worktree's objects without the option.
		if g, err := gogit.PlainOpenWithOptions(root, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true}); err == nil {
			r.heads = []headReader{goHead{g}, cliHead{r}}
		}
	}
	return r, nil
}

// readConfig keeps the configuration and turns off LFS, whose clean filter
// writes objects below .git: a pointer is compared by us instead.
func (r *Repo) readConfig(ctx context.Context) error {
	out, err := r.git(ctx, "config", "-z", "--list")
	if err != nil {
		return fmt.Errorf("read the configuration of %s: %w", r.root, err)
	}
	r.config = map[string]string{}
	for _, kv := range split(out) {
		k, v, ok := strings.Cut(kv, "\n")
		if !ok {
			v = "true" // "[section] key" alone
		}
		r.config[k] = v
	}
	run := *r.run
	if _, ok := r.config["filter.lfs.clean"]; ok {
		run.conf = []string{"-c", "filter.lfs.clean=", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=",
			"-c", "filter.lfs.required=false"}
	}
	r.run = &run
	return nil
}

// git runs one command in the repository's root.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.run.Run(ctx, Call{Dir: r.root, Args: args})
}

// Root is the real path of the working tree's top folder.
func (r *Repo) Root() string { return r.root }

// GitDir is the repository's own .git folder (abs); for a linked worktree it
// is below CommonDir.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the .git folder that all worktrees share (abs).
func (r *Repo) CommonDir() string { return r.commonDir }

// ObjectFormat is sha1 or sha256.
func (r *Repo) ObjectFormat() string { return r.hash }

// Config is the value of a key as git has it for this repository ("" when
// unset), read when it was opened. Section and key are in lower case.
func (r *Repo) Config(key string) string { return r.config[key] }

// Runner is the way git is started for this repository's user.
func (r *Repo) Runner() *Runner { return r.run }

// Close ends the helper process that reads blobs, if one runs.
func (r *Repo) Close() error {
	r.mu.Lock()
	b := r.blobs
	r.blobs, r.closed = nil, true
	r.mu.Unlock()
	if b != nil {
		b.close()
	}
	return nil
}

// ConfigBool reads a boolean key; fallback is its value when unset.
func (r *Repo) ConfigBool(key string, fallback bool) bool {
	switch strings.ToLower(r.config[key]) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	return fallback
}

package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"regreen/internal/git"
)

// shadow is the bare repository that holds snapshots. Its refs, index, stash
// and configuration are ours: whatever runs in the worktree reaches these and
// not the user's. It borrows the user's objects through alternates, so that
// history is there and what the user has packed is not stored again.
type shadow struct {
	dir  string
	repo *git.Repo
	run  *git.Runner
	log  *slog.Logger
}

// rawBytes are attributes that turn every conversion off; in the info folder
// they win over those in the tree.
const rawBytes = "* -text -ident -filter -working-tree-encoding\n"

// shadowRef keeps the last snapshot from being pruned.
const shadowRef = "refs/regreen/snap"

// maxPacks is how many small packs (one a snapshot) may gather before they are
// made into one.
const maxPacks = 60

func openShadow(ctx context.Context, repo *git.Repo, dir string, log *slog.Logger) (*shadow, error) {
	s := &shadow{dir: dir, repo: repo, run: repo.Runner(), log: log}
	mark, err := os.ReadFile(filepath.Join(dir, "regreen"))
	if err != nil || string(mark) != s.mark() {
		if err := s.rebuild(ctx); err != nil {
			return nil, err
		}
		return s, nil
	}
	return s, s.refresh(ctx)
}

// mark changes when the shadow must be made anew.
func (s *shadow) mark() string {
	return "1 " + s.repo.ObjectFormat() + "\n" + s.config() + "\n" + s.objects() + "\n"
}

func (s *shadow) objects() string { return filepath.Join(s.repo.CommonDir(), "objects") }

// alternate is a path as an alternates file has it: in quotes, as git quotes,
// where the path has something that its plain form cannot hold.
func alternate(path string) string {
	if !strings.ContainsAny(path, "\n") && !strings.HasPrefix(path, "#") && !strings.HasPrefix(path, `"`) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

func (s *shadow) config() string {
	var b strings.Builder
	version := 0
	if s.repo.ObjectFormat() != "sha1" {
		version = 1
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = true\n\tlogallrefupdates = false\n", version)
	fmt.Fprintf(&b, "\tautocrlf = false\n\tsafecrlf = false\n\thooksPath = %s\n\tfsmonitor = false\n", os.DevNull)
	for _, key := range []string{"filemode", "symlinks", "ignorecase", "precomposeunicode"} {
		if v := s.repo.Config("core." + key); v != "" {
			fmt.Fprintf(&b, "\t%s = %v\n", key, s.repo.ConfigBool("core."+key, true))
		}
	}
	b.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[fastimport]\n\tunpackLimit = 0\n[pack]\n\tcompression = 1\n")
	if version == 1 {
		fmt.Fprintf(&b, "[extensions]\n\tobjectformat = %s\n", s.repo.ObjectFormat())
	}
	return b.String()
}

// rebuild makes the shadow from nothing. Nothing of the user's is lost by it:
// snapshots are made again from the working tree, undo is kept elsewhere.
func (s *shadow) rebuild(ctx context.Context) error {
	if err := removeAll(s.dir); err != nil {
		return fmt.Errorf("remove the old shadow repository: %w", err)
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	return replaceFile(filepath.Join(s.dir, "regreen"), []byte(s.mark()))
}

// refresh brings over what history commands need (tags for git describe, the
// ends of a shallow clone), restores what a process in the worktree may have
// rewritten, and removes locks that a killed git left.
func (s *shadow) refresh(ctx context.Context) error {
	if err := s.purge(); err != nil {
		return err
	}
	for _, pattern := range []string{"*.lock", "worktrees/tree/*.lock", "refs/regreen/*.lock", "fast_import_crash_*"} {
		stale, _ := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(pattern)))
		for _, f := range stale {
			_ = os.Remove(f)
		}
	}
	shallow := filepath.Join(s.dir, "shallow")
	if src, err := os.ReadFile(filepath.Join(s.repo.CommonDir(), "shallow")); err == nil {
		if err := replaceFile(shallow, src); err != nil {
			return err
		}
	} else {
		_ = os.Remove(shallow)
	}
	tags, err := s.run.Run(ctx, git.Call{Dir: s.repo.Root(),
		Args: []string{"for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"}})
	if err != nil {
		return fmt.Errorf("list the tags: %w", err)
	}
	if err := replaceFile(filepath.Join(s.dir, "packed-refs"), tags); err != nil {
		return err
	}
	s.dropHalves()
	if err := s.repack(ctx); err != nil {
		s.log.Debug("many packs stay", "err", err)
	}
	return nil
}

// git runs a command on the shadow itself.
func (s *shadow) git(ctx context.Context, args ...string) ([]byte, error) {
	return s.run.Run(ctx, git.Call{Dir: s.dir, Args: append([]string{"--git-dir=" + s.dir}, args...)})
}

func (s *shadow) has(ctx context.Context, commit string) bool {
	_, err := s.git(ctx, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// blob reads a file of a commit.
func (s *shadow) blob(ctx context.Context, commit, rel string) ([]byte, error) {
	src, err := s.git(ctx, "cat-file", "blob", commit+":"+rel)
	if err != nil {
		return nil, fmt.Errorf("read %s from the snapshot: %w", rel, err)
	}
	return src, nil
}

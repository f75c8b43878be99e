package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"regreen/internal/git"
	"regreen/internal/jail"
	"regreen/internal/proc"
)

// Config says what a sandbox is for.
type Config struct {
	Repo *git.Repo
	// StateDir is regreen's state folder ($XDG_STATE_HOME/regreen, abs); each
	// repository gets a folder of its own below it.
	StateDir string
	// Isolation is auto | namespace | landlock | copy; "" is auto.
	Isolation string
	// NoNetwork leaves what runs the loopback address only (level
	// namespace).
	NoNetwork bool
	// MemoryBytes, Processes and DiskBytes are what a run may use; 0 leaves it
	// to us.
	MemoryBytes int64
	Processes   int
	DiskBytes   int64
	// Helper is the command line that starts this program as jail.Help; without
	// it there is only the level copy.
	Helper []string
	// Carry are globs of ignored inputs that tests need (".env*"): without a
	// slash they match names, with one they match from the root.
	Carry   []string
	Environ []string // the user's
	// Within is a folder (abs) around StateDir that what runs must not write to;
	// "" is none.
	Within string
	Log    *slog.Logger
	// Wait waits for another process that holds the sandbox instead of giving
	// *BusyError. Waiting is called once, with its pid; it may be nil.
	Wait    bool
	Waiting func(pid int)

	// Effect is called before each call that a merge, an undo or a recovery
	// makes on the disk, with what it is ("write", "sync", "link", "exchange", …)
	// and a name; its error takes the call's place. It is for tests and
	// measurements, and may be nil.
	Effect func(call, name string) error
}

// Sandbox is the private image of one repository's working tree. It is used by
// one goroutine at a time, but for Run, Root, Origin, Level, Note, Disk,
// Scratch and Environ, which may be used by several.
type Sandbox struct {
	repo    *git.Repo
	dir     string // the repository's state folder
	scratch string
	tmp     string
	tree    string // box/tree
	carry   []string
	environ []string
	log     *slog.Logger
	wanted  string // the isolation asked for
	helper  []string
	limits  jail.Limits
	within  string       // as in Config
	share   atomic.Int32 // into how many parts limits are divided; 0 is 1
	// noNetwork is as in Config.
	noNetwork bool
	iso       isolation
	isolated  bool   // iso was tried
	note      string // why it is not a stronger one
	lock      *flock.Flock
	fx        effects
	// unsettled: a merge or an undo was left half done and is to be ended
	// before the next one.
	unsettled bool

	shadow  *shadow
	head    header    // what seen is the manifest of
	seen    manifest  // the user's files
	last    *Snapshot // the newest, made from head and seen; nil after a start or a merge
	boxed   manifest  // the worktree's files
	links   linkTexts // what the worktree's links say instead of the user's
	dirty   bool      // seen or boxed are newer than what is written down
	seconds map[string]int64
	current *Snapshot
	index   string    // the worktree index as Prepare left it
	indexed *Snapshot // what index is of; nil after a start
	farms   []farm
	// places stand for the farms where they are mounted; mounted are those by
	// rel, without links.
	places  []place
	mounted map[string]place
	spilled atomic.Bool          // a run was ended at a limit
	farmed  map[string]farmStamp // what was built, by its folder
	cloned  clones               // what farms copy
	noClone atomic.Bool          // the file system does not share bytes between files
	carried map[string]bool
	late    []displaced
	healed  []Recovery
}

// Open takes the repository's sandbox, repairs what a crash left, and makes it
// ready for a snapshot.
func Open(ctx context.Context, cfg Config) (*Sandbox, error) {
	dir, err := stateDir(cfg)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{repo: cfg.Repo, dir: dir, tmp: filepath.Join(dir, "t"), scratch: filepath.Join(dir, "scratch"),
		tree: filepath.Join(dir, "box", "tree"), carry: cfg.Carry, environ: cfg.Environ, log: cfg.Log, fx: effects{cfg.Effect},
		seconds: map[string]int64{}, carried: map[string]bool{}, farmed: map[string]farmStamp{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := checkLevel(cfg.Isolation); err != nil {
		return nil, err
	}
	s.wanted, s.helper, s.noNetwork, s.limits, s.within = cfg.Isolation, cfg.Helper, cfg.NoNetwork, systemLimits(cfg, dir), cfg.Within
	s.iso = copyLevel{tree: s.tree}
	if err := s.take(ctx, cfg); err != nil {
		return nil, err
	}
	if err := s.prepareState(ctx); err != nil {
		return nil, errors.Join(err, s.lock.Unlock())
	}
	return s, nil
}

// prepareState runs under the lock.
func (s *Sandbox) prepareState(ctx context.Context) error {
	if err := os.RemoveAll(s.scratch); err != nil {
		s.log.Debug("scratch folder not emptied", "err", err)
	}
	for _, d := range []string{"box", "box/tree", "scratch", "t", "cache", "journal", "undo", "rescued"} {
		if err := os.MkdirAll(filepath.Join(s.dir, filepath.FromSlash(d)), 0o700); err != nil {
			return fmt.Errorf("make the state folder: %w", err)
		}
	}
	if err := s.recover(); err != nil {
		return fmt.Errorf("repair an interrupted merge: %w", err)
	}
	s.sweep(time.Now())
	var err error
	if s.shadow, err = openShadow(ctx, s.repo, filepath.Join(s.dir, "shadow.git"), s.log); err != nil {
		return err
	}
	s.head, s.seen = loadManifest(filepath.Join(s.dir, "manifest"))
	_, s.boxed = loadManifest(filepath.Join(s.dir, "box", "manifest"))
	if s.head.Commit != "" && !s.shadow.has(ctx, s.head.Commit) {
		s.forget()
	}
	return nil
}

// Close keeps what makes the next start warm and lets the sandbox go.
func (s *Sandbox) Close() error {
	var errs []error
	for _, f := range s.Settle() {
		s.log.Warn("a late write was rescued", "file", f)
	}
	s.dropLate()
	errs = append(errs, s.iso.close())
	if s.holds() {
		s.keep()
		errs = append(errs, os.RemoveAll(s.scratch))
	}
	errs = append(errs, s.lock.Unlock())
	return errors.Join(errs...)
}

// holds tells whether the lock's file is still the one under its name: where
// somebody removed the state folder, what is there now may be another process's.
func (s *Sandbox) holds() bool {
	mine, err := s.lock.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(s.lock.Path())
	return err == nil && os.SameFile(mine, now)
}

// stateDir names, checks and makes the repository's state folder.
func stateDir(cfg Config) (string, error) {
	if !filepath.IsAbs(cfg.StateDir) {
		return "", &Error{Code: CodeStatePath, Message: fmt.Sprintf("the state folder %q is not an absolute path", cfg.StateDir),
			Hint: "set XDG_STATE_HOME to an absolute path"}
	}
	root := cfg.Repo.Root()
	// Checked before anything is made, and again behind links.
	for _, dir := range []string{cfg.StateDir, realPath(cfg.StateDir)} {
		if err := checkState(cfg, dir, root); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(cfg.StateDir, 0o700); err != nil {
		return "", &Error{Code: CodeStatePath, Message: fmt.Sprintf("the state folder cannot be made: %v", err),
			Hint: "set XDG_STATE_HOME to a folder that you can write"}
	}
	real, err := filepath.EvalSymlinks(cfg.StateDir)
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	if err := checkState(cfg, real, root); err != nil {
		return "", err
	}
	fi, err := os.Stat(root)
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	dir := filepath.Join(real, stateID(root, fi))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the state folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the state folder private: %w", err)
	}
	return dir, nil
}

// stateID is the folder's name: 12 hex digits, so that no ignore pattern of a
// test runner matches it.
func stateID(root string, fi fs.FileInfo) string {
	dev, ino := identity(fi)
	return sumOf([]byte(fmt.Sprintf("%s\x00%d\x00%d", root, dev, ino))).String()[:12]
}

// checkState refuses a state folder in which the worktree would be wrong:
// inside the repository its files are found twice (jest's haste map, watchers),
// and below a node_modules folder jest ignores every test.
func checkState(cfg Config, dir, root string) error {
	if rel, err := filepath.Rel(root, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return &Error{Code: CodeStateInside, Message: fmt.Sprintf("the state folder %s lies inside the repository", dir),
			Hint: "set XDG_STATE_HOME to a folder outside the repository"}
	}
	for c := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		switch c {
		case "node_modules", ".cache", ".git", "__pycache__":
			return &Error{Code: CodeStatePath,
				Message: fmt.Sprintf("the state folder %s lies below %s, where test runners look for no tests", dir, c),
				Hint:    "set XDG_STATE_HOME to another folder"}
		case "tmp", "temp", "worktrees":
			if cfg.Log != nil {
				cfg.Log.Debug("the state folder's path has a word that some runners ignore", "word", c, "file", dir)
			}
		}
	}
	return nil
}

// take locks the state folder.
func (s *Sandbox) take(ctx context.Context, cfg Config) error {
	pidFile := filepath.Join(s.dir, "pid")
	s.lock = flock.New(filepath.Join(s.dir, "lock"))
	ok, err := s.lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock the sandbox: %w", err)
	}
	if !ok {
		src, _ := os.ReadFile(pidFile)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(src)))
		if !cfg.Wait {
			return &BusyError{PID: pid}
		}
		if cfg.Waiting != nil {
			cfg.Waiting(pid)
		}
		if _, err := s.lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("wait for the sandbox: %w", err)
		}
	}
	// For people only; the lock is what counts.
	return replaceFile(pidFile, []byte(strconv.Itoa(os.Getpid())+"\n"))
}

// Dir is the repository's state folder (abs), for what else is kept per
// repository, such as the history.
func (s *Sandbox) Dir() string { return s.dir }

// StateDir names the state folder of a repository without opening its sandbox;
// it need not exist.
func StateDir(stateDir, root string) (string, error) {
	if real, err := filepath.EvalSymlinks(stateDir); err == nil {
		stateDir = real
	}
	fi, err := os.Stat(root)
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	return filepath.Join(stateDir, stateID(root, fi)), nil
}

// Root is the tree that things run in (abs).
func (s *Sandbox) Root() string { return s.iso.root() }

// Origin is the user's own tree (abs).
func (s *Sandbox) Origin() string { return s.repo.Root() }

// Disk is where this process finds the files of Root (abs): where Root is the
// repository's own path, only what runs inside sees the worktree there.
func (s *Sandbox) Disk() string { return s.tree }

// Level is the isolation in force: namespace, landlock or copy. Before Isolate
// it is copy.
func (s *Sandbox) Level() string { return s.iso.level() }

// Note says why the level is not a stronger one; "" when it is the strongest.
func (s *Sandbox) Note() string { return s.note }

// Scratch is a private folder outside the worktree (abs), emptied at each
// start.
func (s *Sandbox) Scratch() string { return s.scratch }

// maxRunOutput is what a run may print: far more than any suite says, and
// soon reached by a loop that prints.
const maxRunOutput = 256 << 20

// Run runs a process in the sandbox, with a private TMPDIR.
func (s *Sandbox) Run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error) {
	if cmd.MaxOutput == 0 {
		cmd.MaxOutput = maxRunOutput
	}
	ex, err := s.iso.run(ctx, cmd)
	if ex.Limit != "" {
		s.spilled.Store(true)
	}
	return ex, err
}

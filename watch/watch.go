package watch

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"regreen/internal/git"
)

// Config says what to watch and how.
type Config struct {
	Repo    *git.Repo
	Environ []string // the user's: HOME and XDG_CONFIG_HOME name the global ignore file

	Quiet      time.Duration // 0 is 30 ms
	StormQuiet time.Duration // 0 is 250 ms; once more than 100 changes came
	MaxWait    time.Duration // 0 is 5 s

	// Ignore are globs of files that do not count, Extra of ignored files that
	// do. Without a slash they match names, with one from the root.
	Ignore, Extra []string
	// OwnPrefixes begin the names of temporary files of our own.
	OwnPrefixes []string
	Poll        Poll
	// PollInterval is how often polled folders are looked at while somebody
	// works; 0 is 500 ms. Otherwise it is six times that.
	PollInterval time.Duration

	Log *slog.Logger // nil says nothing
	// Warn gets what a person should know, with what to do about it, and
	// Waiting why batches are held back, "" when they no longer are. They are
	// called from Run, must not block, and may be nil.
	Warn    func(message, hint string)
	Waiting func(why string)

	// For tests.
	newSource func() (source, error)
	deaf      func(dir string) string
	hold      <-chan struct{} // the reader waits for it
}

// Poll says which folders are looked at in intervals. The zero value is PollAuto.
type Poll string

// The ways to poll.
const (
	PollAuto   Poll = "auto" // those that the kernel tells nothing of
	PollAlways Poll = "always"
	PollNever  Poll = "never" // and what the kernel does not tell is not seen
)

// Watcher watches one repository. All but Run may be called from any goroutine.
type Watcher struct {
	cfg      Config
	git      gitState
	queue    *queue
	expected expected
	ready    chan struct{}

	mu   sync.Mutex // guards the field below
	info Info
}

// Info is what is watched.
type Info struct {
	Folders int `json:"folders"`
	Polled  int `json:"polled"` // of them
	Files   int `json:"files"`
	// Known is Files once the content of all is known, 0 before: in the first
	// moments after Ready a save that changes nothing may be told.
	Known int `json:"known"`
}

// New prepares a watcher. It watches nothing until Run.
func New(cfg Config) (*Watcher, error) {
	if cfg.Repo == nil {
		return nil, errors.New("watch: no repository")
	}
	if err := globs(cfg.Ignore).check("watch.ignore"); err != nil {
		return nil, err
	}
	if err := globs(cfg.Extra).check("watch.extra"); err != nil {
		return nil, err
	}
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&cfg.Quiet, 30*time.Millisecond)
	def(&cfg.StormQuiet, 250*time.Millisecond)
	def(&cfg.MaxWait, 5*time.Second)
	def(&cfg.PollInterval, pollBusy)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.newSource == nil {
		cfg.newSource = newNotify
	}
	if cfg.deaf == nil {
		cfg.deaf = deaf
	}
	return &Watcher{cfg: cfg, git: gitState{cfg.Repo.GitDir(), cfg.Repo.CommonDir()}, queue: newQueue(), ready: make(chan struct{})}, nil
}

// Ready is closed once everything is watched: what is saved from then on is
// told.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// Info tells what is watched; nothing before Ready.
func (w *Watcher) Info() Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.info
}

// Expect announces a write of our own: the content with that SHA-256 (hex) at
// rel is no save. An empty sum announces that the file is removed. It must be
// called before the write.
func (w *Watcher) Expect(rel, sha256 string) error {
	e := expectation{gone: sha256 == "", until: time.Now().Add(expectTTL)}
	if !e.gone {
		b, err := hex.DecodeString(sha256)
		if err != nil || len(b) != len(e.sum) {
			return fmt.Errorf("expect %s: %q is not a SHA-256", rel, sha256)
		}
		copy(e.sum[:], b)
	}
	w.expected.add(rel, e)
	return nil
}

// Touch has the watcher look at paths (rel) that somebody says were saved,
// whatever events there are.
func (w *Watcher) Touch(rels ...string) {
	for _, rel := range rels {
		w.queue.put(filepath.Join(w.cfg.Repo.Root(), filepath.FromSlash(rel)), fsnotify.Write)
	}
}

// Run watches until ctx is done, and then gives nil. Batches are sent one at a
// time; while nobody receives, what changes is folded into the one that waits.
// It can be called once.
func (w *Watcher) Run(ctx context.Context, out chan<- Batch) error {
	ctx, cancel := context.WithCancel(ctx)
	l, err := w.begin(ctx)
	if err != nil {
		cancel()
		return err
	}
	var reader sync.WaitGroup
	if l.tree.src != nil {
		reader.Go(func() { w.queue.read(ctx, l.tree.src, w.cfg.hold) })
	}
	err = l.open(ctx)
	if err == nil {
		close(w.ready)
		err = l.run(ctx, out)
	}
	cancel()
	reader.Wait()
	if l.tree.src != nil {
		err = errors.Join(err, l.tree.src.Close())
	}
	return err
}

// begin makes the loop and its source of events.
func (w *Watcher) begin(ctx context.Context) (*loop, error) {
	c := w.cfg
	l := &loop{w: w, deb: debounce{quiet: c.Quiet, storm: c.StormQuiet, max: c.MaxWait}, poll: poller{busy: c.PollInterval}}
	l.tree = &tree{
		scope: scope{root: c.Repo.Root(), prefixes: c.OwnPrefixes, ignore: c.Ignore, extra: c.Extra,
			fold: c.Repo.ConfigBool("core.ignorecase", false), common: c.Repo.CommonDir()},
		expected: &w.expected, warn: l.warn, deaf: c.deaf, never: c.Poll == PollNever,
		dirs: map[string]*folder{}, byAbs: map[string]*folder{}, dirty: map[string]state{},
		late: map[string]bool{}, fresh: map[string]bool{}, devices: map[uint64]string{},
	}
	if err := l.tree.readTracked(ctx, c.Repo); err != nil {
		return nil, err
	}
	l.readGlobal()
	if c.Poll == PollAlways {
		return l, nil
	}
	src, err := c.newSource()
	if err != nil {
		if c.Poll == PollNever {
			return nil, fmt.Errorf("no folder can be watched, and watch.poll is %q: %s: %w", PollNever, hint(err), err)
		}
		l.warn("no folder can be watched, all are polled: "+limit(err), hint(err))
		return l, nil
	}
	l.tree.src = src
	return l, nil
}

// env reads a variable of the user's environment; the last entry counts.
func (w *Watcher) env(key string) string {
	value := ""
	for _, kv := range w.cfg.Environ {
		if len(kv) > len(key) && kv[:len(key)] == key && kv[len(key)] == '=' {
			value = kv[len(key)+1:]
		}
	}
	return value
}

// open watches everything for the first time.
func (l *loop) open(ctx context.Context) error {
	t := l.tree
	if _, err := os.Stat(t.root); err != nil {
		return fmt.Errorf("watch %s: %w", t.root, err)
	}
	if t.src != nil {
		// Not being told of git only makes a batch come a little later.
		_ = t.src.Add(l.w.git.dir)
		_ = t.src.Add(filepath.Join(l.w.git.common, "info"))
	}
	l.mark, l.excludes = l.w.git.mark(), l.excludeStamp()
	t.baseline = true
	t.enter(&folder{abs: t.root})
	t.baseline = false
	if ctx.Err() != nil || t.dirs[""] == nil {
		return fmt.Errorf("watch %s: it cannot be read", t.root)
	}
	l.count()
	l.poll.last = time.Now() // who starts a watcher is about to work
	return nil
}

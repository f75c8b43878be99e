package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/daemon"
	"regreen/internal/engine"
	"regreen/internal/git"
	"regreen/internal/sandbox"
	"regreen/watch"
)

// socketPath is where the daemon of a repository listens.
func socketPath(root string, environ []string) string {
	return daemon.SocketPath(root, func(key string) string { return lookup(environ, key) })
}

// newDaemon puts a daemon for the repository together. loaded hears each new
// configuration. Close what it gives when the daemon has ended.
func newDaemon(ctx context.Context, r Repo, sink func(daemon.Event), loaded func(config.Config)) (*daemon.Daemon, func() error, error) {
	dir, err := stateDir(r.Environ)
	if err != nil {
		return nil, nil, err
	}
	home, err := sandbox.StateDir(dir, r.Root)
	if err != nil {
		return nil, nil, err
	}
	repo, err := git.Open(ctx, r.Root, r.Environ)
	if err != nil {
		return nil, nil, err
	}
	d := daemon.New(daemon.Config{
		Root: r.Root, Environ: r.Environ, Socket: socketPath(r.Root, r.Environ), LockFile: filepath.Join(home, "daemon.lock"),
		Config: r.Config, Log: r.Log, Sink: sink,
		Misses: func() []cycle.Miss { return engine.Misses(home) },
		Undone: func() map[string]string { return sandbox.Undone(home) },
		Explain: func(err error) (string, string) {
			p := problemOf(ctx, err)
			return p.Code, p.Hint
		},
		Load: func() (config.Config, error) {
			path := r.ConfigPath
			if path == "" {
				path = config.Find(r.Root)
			}
			cfg, err := config.Load(path)
			if err == nil {
				loaded(cfg)
			}
			return cfg, err
		},
		Open: func(ctx context.Context, cfg config.Config) (daemon.Worker, error) {
			e, err := engine.Open(ctx, engine.Options{Dir: r.Root, Environ: r.Environ, Config: cfg, StateDir: dir, Log: r.Log, Helper: helper(),
				Waiting: func(pid int) { r.Log.Warn("another regreen works in this repository; waiting for it", "pid", pid) }})
			if err != nil {
				return nil, err // not a nil *Engine in an interface
			}
			return e, nil
		},
		Watch: func(cfg config.Config, waiting func(string), warn func(string, string)) (daemon.Watcher, error) {
			return watch.New(watch.Config{
				Repo: repo, Environ: r.Environ,
				Quiet: cfg.Watch.Quiet.Std(), StormQuiet: cfg.Watch.StormQuiet.Std(), MaxWait: cfg.Watch.MaxWait.Std(),
				Poll: watch.Poll(cfg.Watch.Poll), PollInterval: cfg.Watch.PollInterval.Std(), Ignore: cfg.Watch.Ignore, Extra: append(append([]string{}, cfg.Watch.Extra...), cfg.Sandbox.Carry...),
				OwnPrefixes: []string{sandbox.TempPrefix}, Log: r.Log, Waiting: waiting, Warn: warn,
			})
		},
	})
	return d, repo.Close, nil
}

// findRoot finds the top folder of the repository that dir is in without
// asking git, for commands that have to be quick.
func findRoot(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for at := real; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", &Problem{Code: git.CodeNotRepository, Exit: ExitEnvironment, Message: dir + " is not in a git repository",
				Hint: "run inside a repository, or make one with: git init"}
		}
	}
}

// client talks to the daemon of the repository that the command works in.
func (a *app) client() (c *daemon.Client, root string, err error) {
	root, err = findRoot(a.dir)
	if err != nil {
		return nil, "", err
	}
	return daemon.NewClient(socketPath(root, a.environ)), root, nil
}

// noDaemon tells whether an error is that no daemon answers.
func noDaemon(err error) bool { return errors.Is(err, daemon.ErrNone) }

package node

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"regreen/internal/plain"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

// Probe finds out where a process group hangs. *Hang is the real one.
type Probe interface {
	// Env is what the processes need in their environment to be asked.
	Env() []string
	// BeforeKill asks the group, before any signal is sent.
	BeforeKill(pgid int)
	// Frames are the innermost frames of the project that it found.
	Frames() []runner.Frame
}

// Launch is one start of a framework's program that reports through the
// channel of package runner.
type Launch struct {
	Env runner.Env
	// Project says how the framework is started; Args replaces Project.Args.
	Project runner.Project
	Args    []string
	// Extra are additional environment variables, each as NAME=value.
	Extra []string
	// Timeout is the wall clock; 0 is none.
	Timeout time.Duration
	// Probe may be nil.
	Probe Probe
	// Each gets every record in order, from one goroutine.
	Each func(runner.Record)
}

// Landing is how a launch went.
type Landing struct {
	Exit     proc.Exit
	TimedOut bool
	// Ended: the end record was seen, with the run's nonce.
	Ended bool
	// Problem is why the channel cannot be trusted, "" when it can.
	Problem string
	// Output is the beginning and the end of what the program printed.
	Output   string
	Duration time.Duration
	// Opened is what the run was seen to open.
	Opened []runner.Opened
}

//go:embed opened.cjs
var openedSource []byte

// watchOpened gives the environment in which a run notes what it opens, and
// where to. Without it the run is the same. The hook's file is to be removed.
func watchOpened(env runner.Env, id string) (hook, file string, extra []string) {
	hook = filepath.Join(env.Scratch, "opened-"+id+".cjs")
	if err := plain.WriteIn(env.Scratch, hook, openedSource); err != nil {
		return hook, "", nil
	}
	file = filepath.Join(env.Scratch, "opened-"+id+".jsonl")
	quoted := `"` + strings.ReplaceAll(hook, `\`, `\\`) + `"`
	return hook, file, []string{"NODE_OPTIONS=--require " + quoted, runner.EnvOpened + "=" + file, runner.EnvRoot + "=" + env.Root}
}

// maxOutput bounds what is kept of a run's standard output and error.
const maxOutput = 256 << 10

// errTimeout is the cause of a launch's end at its limit.
var errTimeout = errors.New("the run's time limit")

// Run starts the program and waits for it. When the caller's context ends
// first, that is an error; a run that fails or passes its limit is not.
func (l Launch) Run(ctx context.Context) (Landing, error) {
	nonce, err := newNonce()
	if err != nil {
		return Landing{}, err
	}
	report := filepath.Join(l.Env.Scratch, "report-"+nonce[:12]+".jsonl")
	defer func() { _ = os.Remove(report) }()
	cmd, err := Command(l.Env, l.Project)
	if err != nil {
		return Landing{}, err
	}
	out := proc.NewTail(maxOutput)
	c := proc.Cmd{Path: cmd[0], Args: append(cmd[1:], l.Args...), Dir: Dir(l.Env, l.Project), Stdout: out, Stderr: out}
	extra := append(slices.Clone(l.Extra), runner.EnvReport+"="+report, runner.EnvNonce+"="+nonce)
	hook, opened, watching := watchOpened(l.Env, nonce[:12])
	defer func() { _ = errors.Join(os.Remove(hook), os.Remove(opened)) }()
	extra = append(extra, watching...)
	if l.Probe != nil {
		extra = append(extra, l.Probe.Env()...)
		c.BeforeKill = func(pgid int) {
			if ctx.Err() == nil { // nobody waits for the answer of a cancelled run
				l.Probe.BeforeKill(pgid)
			}
		}
	}
	c.Env = Environ(l.Env, l.Project, extra)

	run, cancel := ctx, context.CancelFunc(func() {})
	if l.Timeout > 0 {
		run, cancel = context.WithTimeoutCause(ctx, l.Timeout, errTimeout)
	}
	defer cancel()
	stream := runner.NewStream(report, nonce, l.Each)
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	followed := make(chan error, 1)
	go func() { followed <- stream.Follow(following) }()
	began := time.Now()
	exit, err := l.Env.Exec.Run(run, c)
	took := time.Since(began)
	stop()
	streamErr := <-followed
	switch {
	case err != nil:
		return Landing{}, fmt.Errorf("start %s: %w", l.Project.Framework, err)
	case ctx.Err() != nil:
		return Landing{}, context.Cause(ctx)
	case streamErr != nil:
		return Landing{}, streamErr
	}
	return Landing{
		Exit: exit, TimedOut: exit.Stopped && context.Cause(run) == errTimeout,
		Ended: stream.Ended(), Problem: stream.Problem(), Output: out.String(), Duration: took,
		Opened: runner.ReadOpened(opened, l.Env.Root),
	}, nil
}

func newNonce() (string, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("make a nonce: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// Dir is the absolute folder that the project's framework is started in.
func Dir(env runner.Env, p runner.Project) string {
	return filepath.Join(env.Root, filepath.FromSlash(p.Root))
}

// Command is the project's command with everything that lies in the user's
// tree mapped into the one to run in. Where that has no such file (a
// node_modules that is not mirrored) the user's own stays.
func Command(env runner.Env, p runner.Project) ([]string, error) {
	if len(p.Command) == 0 {
		return nil, fmt.Errorf("%s in %s has no command to start it", p.Framework, p.Root)
	}
	out := make([]string, len(p.Command))
	for i, arg := range p.Command {
		out[i] = arg
		rel, err := filepath.Rel(env.Origin, arg)
		if !filepath.IsAbs(arg) || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if mapped := filepath.Join(env.Root, rel); mapped != arg {
			if _, err := os.Stat(mapped); err == nil {
				out[i] = mapped
			}
		}
	}
	return out, nil
}

// Environ is the environment of a run: the session's own, the variables of
// the project's script, extra, and the binaries of the project on PATH, as a
// package manager has them. NODE_OPTIONS add up instead of replacing. Where
// the script asks for colours the tests get them: snapshots may hold them.
func Environ(env runner.Env, p runner.Project, extra []string) []string {
	vars := map[string]string{}
	var options []string
	set := func(k, v string) {
		if k == "NODE_OPTIONS" {
			if v = strings.TrimSpace(v); v != "" && !slices.Contains(options, v) {
				options = append(options, v)
			}
			return
		}
		vars[k] = v
	}
	for _, kv := range env.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			set(k, v)
		}
	}
	if colourful(p) {
		delete(vars, "NO_COLOR")
		vars["FORCE_COLOR"] = "1"
	}
	for _, k := range slices.Sorted(maps.Keys(p.Env)) {
		if k == "NODE_OPTIONS" && len(options) > 0 && strings.Contains(p.Env[k], options[0]) {
			options = nil // the script repeats the user's own
		}
		set(k, p.Env[k])
	}
	for _, kv := range extra {
		if k, v, ok := strings.Cut(kv, "="); ok {
			set(k, v)
		}
	}
	if len(options) > 0 {
		vars["NODE_OPTIONS"] = strings.Join(options, " ")
	}
	bins := []string{}
	for dir := Dir(env, p); ; dir = filepath.Dir(dir) {
		bins = append(bins, filepath.Join(dir, "node_modules", ".bin"))
		if dir == filepath.Clean(env.Root) || dir == filepath.Dir(dir) {
			break
		}
	}
	if len(p.Command) > 0 {
		bins = append(bins, filepath.Dir(p.Command[0])) // the node in use comes before another one
	}
	vars["PATH"] = strings.Join(append(bins, filepath.SplitList(vars["PATH"])...), string(filepath.ListSeparator))
	out := make([]string, 0, len(vars))
	for _, k := range slices.Sorted(maps.Keys(vars)) {
		out = append(out, k+"="+vars[k])
	}
	return out
}

// colourful tells whether the project's script asks for colours.
func colourful(p runner.Project) bool {
	if v, ok := p.Env["FORCE_COLOR"]; ok {
		return v != "0" && v != "false"
	}
	asks := false
	for _, a := range p.Args {
		switch a {
		case "--":
			return asks
		case "--color", "--colors", "--color=true", "--colors=true", "--color=always":
			asks = true
		case "--no-color", "--no-colors", "--color=false", "--colors=false", "--color=never":
			asks = false
		}
	}
	return asks
}

// Package command lets a program of the user's choice, such as a coding agent
// or `eslint --fix`, look for a repair: it gets the task as JSON on standard
// input and edits a copy of the sandbox.
//
// Its invariant: whatever the program does, the outcome is an answer with a
// bounded change, or with the reason why there is none. It does not judge the
// change; the cycle does.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

// The caps on what a program may say and change.
const (
	maxOutput = 16 << 20
	maxBytes  = 8 << 20
	maxTitle  = 120
	maxNotes  = 2000
)

// Visit is what the program is let in with. The fields are those of a guest of
// the sandbox.
type Visit struct {
	Cmd      proc.Cmd
	Args     func(root, private string) []string
	Files    map[string][]byte
	Home     []string
	KeepHome bool
	Network  bool
	MaxFiles int
	MaxBytes int64
}

// Done is what it did.
type Done struct {
	Exit   proc.Exit
	Files  []string
	Whole  []fixers.Whole
	Excess string
	Notes  []string
	// Doubt says why what it did may not be merged by itself.
	Doubt string
}

// Host lets a program work on a copy of the tree.
type Host interface {
	Visit(ctx context.Context, v Visit) (*Done, error)
}

// Fixer is one [[fixers.command]].
type Fixer struct {
	cfg     config.Command
	path    string
	environ []string
	host    Host
}

// New makes a fixer. program is the command's program: absolute, or a path from
// the root of the tree. environ is where the variables to pass on are found.
func New(cfg config.Command, program string, environ []string, host Host) *Fixer {
	return &Fixer{cfg: cfg, path: program, environ: environ, host: host}
}

// Name is the one in the configuration.
func (f *Fixer) Name() string { return f.cfg.Name }

// Takes tells whether the program is to be asked for a kind of failure.
func (f *Fixer) Takes(k runner.Kind) bool {
	return len(f.cfg.Kinds) == 0 || slices.Contains(f.cfg.Kinds, string(k))
}

// Limits are the configured ones.
func (f *Fixer) Limits() fixers.Limits {
	return fixers.Limits{Time: f.cfg.Timeout.Std(), Rounds: f.cfg.Rounds, Files: f.cfg.MaxFiles, Lines: f.cfg.MaxLines}
}

// Ask runs the program once. The error is set when ctx ended or the sandbox
// could not do its part; all that the program itself does wrong is in the
// answer.
func (f *Fixer) Ask(ctx context.Context, t fixers.Task) (fixers.Answer, error) {
	doc, err := json.Marshal(t)
	if err != nil {
		return fixers.Answer{}, fmt.Errorf("write the task: %w", err)
	}
	files, ok := f.arguments(t)
	if !ok {
		return fixers.Answer{Failed: "no file of the failures is of its kind", Off: true}, nil
	}
	out, errs := proc.NewTail(2*maxNotes), proc.NewTail(2*maxNotes)
	last := &lastLine{}
	var env []string
	for _, name := range f.cfg.Env {
		if v, ok := lookup(f.environ, name); ok && name != "HOME" {
			env = append(env, name+"="+v)
		}
	}
	budget := &overdue{f.Limits().Time}
	actx, cancel := context.WithTimeoutCause(ctx, f.Limits().Time, budget)
	defer cancel()
	done, err := f.host.Visit(actx, Visit{
		Cmd: proc.Cmd{Path: f.path, Env: env, Stdin: strings.NewReader(string(doc) + "\n"), Stdout: both{out, last}, Stderr: errs,
			MaxOutput: maxOutput, Grace: 2 * time.Second},
		Args:  func(root, private string) []string { return f.fill(root, private, files) },
		Files: map[string][]byte{"task.json": doc, "prompt.txt": []byte(t.Prompt())},
		Home:  f.cfg.Home, KeepHome: slices.Contains(f.cfg.Env, "HOME"), Network: f.cfg.Network,
		MaxFiles: f.cfg.MaxFiles, MaxBytes: maxBytes,
	})
	if ctx.Err() != nil {
		return fixers.Answer{}, context.Cause(ctx)
	}
	late := errors.Is(context.Cause(actx), budget)
	switch {
	case err != nil && late:
		return fixers.Answer{Failed: budget.Error(), Off: true}, nil
	case err != nil:
		return fixers.Answer{}, err
	}
	return f.answer(done, late, budget, out.String(), errs.String(), last.String()), nil
}

func (f *Fixer) answer(done *Done, late bool, budget error, out, errs, last string) fixers.Answer {
	a := fixers.Answer{Doubt: done.Doubt, Warnings: done.Notes}
	done.Whole = slices.DeleteFunc(done.Whole, func(w fixers.Whole) bool { return w.Created && isDropping(w.File) })
	a.Title, a.Notes = words(out, last)
	switch {
	case late:
		a.Failed, a.Off = budget.Error(), true
	case done.Exit.Limit != "":
		a.Failed, a.Off = "it was ended at "+done.Exit.Limit, true
	case done.Exit.Signal != "":
		a.Failed = "it was ended: " + done.Exit.Signal
	case !slices.Contains(f.success(), done.Exit.Code):
		a.Failed = fmt.Sprintf("it ended with %s", done.Exit.How())
		if why := gist(errs); why != "" {
			a.Failed += ": " + why
		}
	case done.Excess != "":
		a.Failed, a.Rule = done.Excess, "file budget: "+done.Excess
		if len(done.Files) > 0 {
			a.File = done.Files[0]
		}
	case len(done.Whole) == 0:
		a.Failed = "it changed nothing"
	default:
		a.Whole = done.Whole
	}
	return a
}

// isDropping knows what tools leave behind for themselves; the proof is done
// without it.
func isDropping(file string) bool {
	top, _, _ := strings.Cut(file, "/")
	switch top {
	case ".claude", ".claude.json", ".codex", ".gemini", ".opencode", ".cursor", ".qwen", ".eslintcache", ".ruff_cache", ".mypy_cache", ".cache", ".npm", ".DS_Store":
		return true
	}
	return strings.HasPrefix(top, ".aider")
}

// gist is the line of an error output that says most: the last one that speaks
// of an error, else the last one.
func gist(errs string) string {
	best := ""
	for line := range strings.Lines(errs) {
		line = fixers.Plain(line, 200)
		if low := strings.ToLower(line); strings.Contains(low, "error") && !strings.HasPrefix(low, "at ") {
			best = line
		}
	}
	if best != "" {
		return best
	}
	lines := strings.Split(fixers.Plain(errs, maxNotes), "\n")
	return fixers.Plain(lines[len(lines)-1], 200)
}

// success are the exit codes that say that the program did its work.
func (f *Fixer) success() []int {
	if len(f.cfg.Success) == 0 {
		return []int{0}
	}
	return f.cfg.Success
}

// overdue says that a program's time is over.
type overdue struct{ limit time.Duration }

func (o *overdue) Error() string { return fmt.Sprintf("its time of %s ran out", o.limit) }

// arguments gives the files for each {files} of the command line; ok is false
// when one of them would stay empty.
func (f *Fixer) arguments(t fixers.Task) (files map[string][]string, ok bool) {
	files = map[string][]string{}
	for _, arg := range f.cfg.Command[1:] {
		globs, is := fileArgument(arg)
		if !is {
			continue
		}
		for _, file := range t.Files {
			if _, err := t.Read(file); err == nil && matchesAny(globs, file) {
				files[arg] = append(files[arg], file)
			}
		}
		if len(files[arg]) == 0 {
			return nil, false
		}
	}
	return files, true
}

// fileArgument reads {files} and {files:*.js,*.ts}.
func fileArgument(arg string) (globs []string, ok bool) {
	in, ok := strings.CutPrefix(arg, "{files")
	in, end := strings.CutSuffix(in, "}")
	if !ok || !end || in != "" && in[0] != ':' {
		return nil, false
	}
	for g := range strings.SplitSeq(strings.TrimPrefix(in, ":"), ",") {
		if g = strings.TrimSpace(g); g != "" {
			globs = append(globs, g)
		}
	}
	return globs, true
}

func matchesAny(globs []string, file string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool {
		name := file
		if !strings.Contains(g, "/") {
			name = path.Base(file)
		}
		ok, err := doublestar.Match(g, name)
		return ok && err == nil
	})
}

// fill puts the task into the command line: {task} and {prompt} are files,
// {files} becomes one argument for each file.
func (f *Fixer) fill(root, private string, files map[string][]string) []string {
	names := strings.NewReplacer("{task}", filepath.Join(private, "task.json"), "{prompt}", filepath.Join(private, "prompt.txt"), "{root}", root)
	var out []string
	for _, arg := range f.cfg.Command[1:] {
		if _, ok := fileArgument(arg); ok {
			for _, file := range files[arg] {
				if strings.HasPrefix(file, "-") {
					file = "./" + file // it is no flag
				}
				out = append(out, file)
			}
			continue
		}
		out = append(out, names.Replace(arg))
	}
	return out
}

// said is what a program may print on its last line.
type said struct {
	Title string `json:"title"`
	Notes string `json:"notes"`
}

// words reads a program's own words: an object on the last line, else the end
// of its output as notes.
func words(out, last string) (title, notes string) {
	var s said
	if strings.HasPrefix(last, "{") && json.Unmarshal([]byte(last), &s) == nil && (s.Title != "" || s.Notes != "") {
		return fixers.Plain(s.Title, maxTitle), fixers.Plain(s.Notes, maxNotes)
	}
	return "", fixers.Plain(out, maxNotes)
}

func lookup(environ []string, key string) (string, bool) {
	for _, kv := range slices.Backward(environ) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return v, true
		}
	}
	return "", false
}

// both writes to two writers that never fail.
type both [2]interface {
	Write(p []byte) (int, error)
}

func (b both) Write(p []byte) (int, error) {
	_, _ = b[0].Write(p)
	return b[1].Write(p)
}

// lastLine keeps the last line that is not empty, as far as it is short.
type lastLine struct {
	done, now []byte
}

// maxLine is more than a title and notes can need.
const maxLine = 64 << 10

func (l *lastLine) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := slices.Index(p, '\n')
		if i < 0 {
			break
		}
		if l.now = l.grow(p[:i]); len(strings.TrimSpace(string(l.now))) > 0 {
			l.done = l.now
		}
		l.now, p = nil, p[i+1:]
	}
	l.now = l.grow(p)
	return n, nil
}

func (l *lastLine) grow(p []byte) []byte {
	return append(l.now, p[:min(len(p), max(0, maxLine-len(l.now)))]...)
}

func (l *lastLine) String() string {
	if s := strings.TrimSpace(string(l.now)); s != "" {
		return s
	}
	return strings.TrimSpace(string(l.done))
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/git"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// result is what one command line gave.
type result struct {
	exit           int
	stdout, stderr string
}

// call runs a command line in dir with fakes.
func call(t *testing.T, deps Deps, dir string, args ...string) result {
	t.Helper()
	return callCtx(t, t.Context(), deps, dir, args...)
}

func callCtx(t *testing.T, ctx context.Context, deps Deps, dir string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if deps.Root == nil {
		deps.Root = func(context.Context, string, []string) (string, error) { return dir, nil }
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm"}
	exit := RunWith(ctx, deps, args, strings.NewReader(""), &stdout, &stderr, environ, dir)
	return result{exit, stdout.String(), stderr.String()}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		stderr string
	}{
		{"unknown command", []string{"rnu"}, "regreen: error: unknown command \"rnu\"\nregreen: hint: did you mean regreen run?\n"},
		{"far command", []string{"frobnicate"}, "regreen: error: unknown command \"frobnicate\"\nregreen: hint: commands: affected, apply, completion, demo, doctor, hook, init, log, run, save, show, status, stop, undo, version, watch\n"},
		{"unknown flag", []string{"run", "--al"}, "regreen: error: unknown flag: --al\nregreen: hint: did you mean --all?\n"},
		{"bad value", []string{"run", "--max-iterations", "x"}, "regreen: error: invalid argument \"x\" for \"--max-iterations\" flag: strconv.ParseInt: parsing \"x\": invalid syntax\nregreen: hint: usage: regreen run [FILE...] [flags]; regreen run --help lists the flags\n"},
		{"impossible target", []string{"run", "--target", "101"}, "regreen: error: --target is 101\nregreen: hint: percent go from 0 to 100\n"},
		{"no iterations", []string{"run", "--max-iterations", "0"}, "regreen: error: --max-iterations is 0\nregreen: hint: the smallest valid value is 1\n"},
		{"negative timeout", []string{"run", "--timeout=-1s"}, "regreen: error: --timeout is -1s\nregreen: hint: write a duration such as \"90s\" or \"5m\"\n"},
		{"outside", []string{"run", "../x.js"}, "is not a file of the repository"},
		{"two ids", []string{"show", "a", "b"}, "regreen: error: show: accepts at most 1 arg(s), received 2\nregreen: hint: usage: regreen show [ID] [flags]\n"},
		{"color", []string{"--color", "blue", "version"}, "regreen: error: --color is \"blue\"\nregreen: hint: valid values: auto, always, never\n"},
		{"shell", []string{"completion", "bahs"}, "regreen: error: unknown shell \"bahs\"\nregreen: hint: did you mean bash?\n"},
		{"no folder", []string{"-C", "nowhere", "run"}, "regreen: error: -C nowhere: no such folder\nregreen: hint: give a folder that is there\n"},
		{"no config", []string{"--config", "x.toml", "run"}, "regreen: error: x.toml: no such file\nregreen: hint: regreen init writes one\n"},
		{"quiet and verbose", []string{"-q", "-v", "run"}, "regreen: error: --quiet and --verbose contradict each other\nregreen: hint: give one of the two\n"},
		{"list and why", []string{"affected", "--list", "--why"}, "regreen: error: --list cannot be joined with --why or --json\nregreen: hint: give one of them\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, Deps{}, t.TempDir(), tt.args...)
			if got.exit != ExitUsage || !strings.Contains(got.stderr, tt.stderr) || got.stdout != "" {
				t.Errorf("regreen %q = %+v, want exit 2 and %q", tt.args, got, tt.stderr)
			}
		})
	}
}

func TestErrorsAsJSON(t *testing.T) {
	got := call(t, Deps{}, t.TempDir(), "run", "--json", "--al")
	var d struct {
		Schema int            `json:"schema"`
		Error  *cycle.Problem `json:"error"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatalf("stdout %q: %v", got.stdout, err)
	}
	want := &cycle.Problem{Code: "usage", Message: "unknown flag: --al", Hint: "did you mean --all?"}
	if diff := cmp.Diff(want, d.Error); diff != "" || d.Schema != 1 {
		t.Errorf("error object (-want +got):\n%s", diff)
	}
	if !strings.Contains(got.stderr, "regreen: error: unknown flag") {
		t.Errorf("stderr = %q, want the error for people too", got.stderr)
	}
}

func TestBrokenConfig(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, config.Name), "[cycle]\nbugdet = \"1s\"\n")
	got := call(t, Deps{}, dir, "run", "--json")
	if want := "regreen: error: regreen.toml:2:1: cycle.bugdet: unknown key\nregreen: hint: did you mean cycle.budget?\n"; got.stderr != want || got.exit != ExitUsage {
		t.Errorf("run = %+v, want exit 2 and %q", got, want)
	}
	var d cycle.Document
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || d.Outcome != cycle.Errored || d.Error == nil || d.Error.Code != "config" {
		t.Errorf("document = %s (%v), want outcome error with code config", got.stdout, err)
	}
}

func TestErrorsOfPackagesBelow(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		exit   int
		stderr string
	}{
		{"git", &git.Error{Code: git.CodeNotRepository, Message: "/x is not in a git repository", Hint: "git init"}, ExitEnvironment,
			"regreen: error: open: /x is not in a git repository\nregreen: hint: git init\n"},
		{"revision", &git.Error{Code: git.CodeUnknownRevision, Message: "no such revision"}, ExitUsage, "regreen: error: open: no such revision\n"},
		{"busy", &sandbox.BusyError{PID: 7}, ExitEnvironment,
			"regreen: error: open: regreen is already at work in this repository (pid 7)\nregreen: hint: wait for it to end\n"},
		{"full disk", &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, ExitEnvironment,
			"regreen: error: open: write /x: no space left on device\nregreen: hint: make room, or set XDG_STATE_HOME to a folder on another disk\n"},
		{"budget", &cycle.BudgetError{Name: "cycle's budget", Limit: time.Second}, ExitBudget,
			"regreen: error: open: the cycle's budget of 1s ran out\nregreen: hint: raise cycle.budget or --timeout, or run fewer tests\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			deps := Deps{Root: func(context.Context, string, []string) (string, error) { return "", fmt.Errorf("open: %w", tt.err) }}
			if got := call(t, deps, t.TempDir(), "run"); got.stderr != tt.stderr || got.exit != tt.exit {
				t.Errorf("run = %+v, want exit %d and %q", got, tt.exit, tt.stderr)
			}
		})
	}
}

func TestRunPassesWhatWasAsked(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "a.js"), "")
	write(t, filepath.Join(dir, config.Name), "[cycle]\nmax_iterations = 4\ntarget_pass_rate = 90\n")
	var repo Repo
	var opts RunOptions
	deps := Deps{
		Root: func(context.Context, string, []string) (string, error) { return dir, nil },
		RunCycle: func(_ context.Context, r Repo, o RunOptions, _ func(cycle.Event)) (*cycle.Document, error) {
			repo, opts = r, o
			return &cycle.Document{Outcome: cycle.Passed}, nil
		}}
	got := call(t, deps, filepath.Join(dir, "src"), "run", "a.js", "../gone.js", "--no-merge", "--target", "80.5",
		"--timeout", "90s", "--base", "main", "--update-assertions")
	if got.exit != ExitOK {
		t.Fatalf("run = %+v", got)
	}
	if d := cmp.Diff(RunOptions{Files: []string{"src/a.js", "gone.js"}, NoMerge: true}, opts); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	want := config.Default()
	want.Cycle.MaxIterations = 4
	want.Cycle.TargetPassRate = 80.5
	want.Cycle.Budget = config.Duration(90 * time.Second)
	want.Affected.Base = "main"
	want.Fixers.UpdateAssertions = true
	if d := cmp.Diff(want, repo.Config); d != "" {
		t.Errorf("config (-want +got):\n%s", d)
	}
}

func TestExitCodes(t *testing.T) {
	term, cancel := context.WithCancelCause(t.Context())
	cancel(Stopped{Exit: ExitTerminate})
	one := []cycle.Affected{{File: "a.test.js"}}
	tests := []struct {
		name string
		ctx  context.Context
		doc  cycle.Document
		args []string
		want int
	}{
		{"passed", nil, cycle.Document{Outcome: cycle.Passed}, nil, 0},
		{"repaired", nil, cycle.Document{Outcome: cycle.Repaired}, nil, 0},
		{"failed", nil, cycle.Document{Outcome: cycle.Failed}, nil, 1},
		{"proposed", nil, cycle.Document{Outcome: cycle.Proposed}, nil, 4},
		{"nothing to do", nil, cycle.Document{Outcome: cycle.NoTests}, nil, 0},
		{"no tests ran", nil, cycle.Document{Outcome: cycle.NoTests, AffectedTests: one}, nil, 1},
		{"no tests at all", nil, cycle.Document{Outcome: cycle.NoTests, Iterations: []cycle.Iteration{{N: 1}}}, []string{"--all"}, 1},
		{"budget", nil, cycle.Document{Outcome: cycle.Failed, Error: &cycle.Problem{Code: "budget"}}, nil, 124},
		{"error", nil, cycle.Document{Outcome: cycle.Errored}, nil, 3},
		{"cancelled", nil, cycle.Document{Outcome: cycle.Cancelled}, nil, 1},
		{"cancelled with a proposal", nil, cycle.Document{Outcome: cycle.Cancelled, Proposals: []cycle.Proposal{{}}}, nil, 4},
		{"terminated", term, cycle.Document{Outcome: cycle.Cancelled}, nil, 143},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			deps := Deps{RunCycle: func(context.Context, Repo, RunOptions, func(cycle.Event)) (*cycle.Document, error) {
				return &tt.doc, nil
			}}
			if got := callCtx(t, ctx, deps, t.TempDir(), append([]string{"run"}, tt.args...)...); got.exit != tt.want {
				t.Errorf("exit = %d, want %d (%+v)", got.exit, tt.want, got)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	deps := Deps{RunCycle: func(ctx context.Context, _ Repo, _ RunOptions, _ func(cycle.Event)) (*cycle.Document, error) {
		cancel(Stopped{Exit: ExitInterrupt})
		return nil, ctx.Err()
	}}
	if got := callCtx(t, ctx, deps, t.TempDir(), "run"); got.exit != ExitInterrupt || !strings.Contains(got.stderr, "interrupted") {
		t.Errorf("run = %+v, want exit 130", got)
	}
}

// A script must find a list where the contract has one.
func TestDocumentsHaveNoNullLists(t *testing.T) {
	deps := Deps{
		RunCycle: func(context.Context, Repo, RunOptions, func(cycle.Event)) (*cycle.Document, error) {
			return &cycle.Document{Outcome: cycle.Failed, Iterations: []cycle.Iteration{{N: 1, Fixes: []cycle.Fix{{}}}},
				Remaining: []cycle.Remaining{{}}, AffectedTests: []cycle.Affected{{}}, Cause: &cycle.Guilt{}}, nil
		},
		Affected: func(context.Context, Repo, AffectedOptions) (*AffectedDocument, error) {
			return &AffectedDocument{AffectedTests: []cycle.Affected{{}}}, nil
		},
		Log:  func(context.Context, Repo) ([]LogEntry, error) { return nil, nil },
		Undo: func(context.Context, Repo, string) (*Change, error) { return &Change{Status: Nothing}, nil },
	}
	for _, args := range [][]string{{"run"}, {"affected"}, {"log"}, {"undo"}, {"version"}} {
		got := call(t, deps, t.TempDir(), append(args, "--json")...)
		if n := strings.Count(got.stdout, "\n"); n != 1 {
			t.Errorf("%q printed %d lines, want 1: %s", args, n, got.stdout)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(got.stdout, `"error":null`, ""), `"reason":null`, "")
		if strings.Contains(text, "null") {
			t.Errorf("%q printed a null list: %s", args, got.stdout)
		}
	}
}

// Without ID, show, apply and undo mean the last one.
func TestLastOne(t *testing.T) {
	var entries []LogEntry
	shown, applied := "none", "none"
	deps := Deps{
		Log: func(context.Context, Repo) ([]LogEntry, error) { return entries, nil },
		Show: func(_ context.Context, _ Repo, id string) (*cycle.Document, error) {
			shown = id
			return &cycle.Document{ID: id, Outcome: cycle.Passed}, nil
		},
		Apply: func(_ context.Context, _ Repo, id string) (*Change, error) {
			applied = id
			return &Change{ID: "p1", Status: Done}, nil
		},
	}
	if got := call(t, deps, t.TempDir(), "show"); got.exit != ExitUsage || !strings.Contains(got.stderr, "no cycle ran here yet") {
		t.Errorf("show with an empty log = %+v, want exit 2 and that no cycle ran", got)
	}
	entries = []LogEntry{{ID: "new"}, {ID: "old"}}
	if got := call(t, deps, t.TempDir(), "show"); got.exit != 0 || shown != "new" {
		t.Errorf("show = %+v of %q, want the newest", got, shown)
	}
	if got := call(t, deps, t.TempDir(), "apply"); got.exit != 0 || applied != "" {
		t.Errorf("apply = %+v of %q, want the empty id", got, applied)
	}
}

func TestApplyAndUndo(t *testing.T) {
	for status, exit := range map[ChangeStatus]int{Done: 0, Nothing: 1, Refused: 4} {
		var id string
		deps := Deps{
			Apply: func(_ context.Context, _ Repo, i string) (*Change, error) {
				id = i
				return &Change{ID: i, Status: status, Reason: "why"}, nil
			},
			Undo: func(_ context.Context, _ Repo, i string) (*Change, error) {
				return &Change{ID: "last", Status: status}, nil
			},
		}
		if got := call(t, deps, t.TempDir(), "apply", "x1"); got.exit != exit || id != "x1" {
			t.Errorf("apply %s = %+v, want exit %d", status, got, exit)
		}
		if got := call(t, deps, t.TempDir(), "undo"); got.exit != exit {
			t.Errorf("undo %s = %+v, want exit %d", status, got, exit)
		}
	}
}

func TestInit(t *testing.T) {
	dir := t.TempDir()
	deps := Deps{Detect: func(context.Context, Repo) ([]runner.Candidate, error) {
		return []runner.Candidate{
			{Project: runner.Project{Root: ".", Framework: "vitest", Version: "3.2.4", Source: "package.json scripts.test", Args: []string{"--env", "node"}}},
			{Project: runner.Project{Root: ".", Framework: "vitest", Version: "3.2.4", Source: "package.json scripts.test", Args: []string{"--env", "edge"}}},
			{Project: runner.Project{Root: "py", Framework: "pytest"}, Problem: "not installed"},
		}, nil
	}}
	example, err := os.ReadFile("../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	full := call(t, Deps{Detect: deps.Detect, Example: string(example)}, dir, "init", "--print").stdout
	if cfg, err := config.Parse("x", []byte(full)); err != nil || !cmp.Equal(cfg, config.Default(), cmpopts.EquateEmpty()) {
		t.Errorf("with every key: %v, want a file of comments", err)
	}
	_, every, _ := strings.Cut(full, "# Every key with its default.")
	every = regexp.MustCompile(`(?m)^#([^ ].*)$`).ReplaceAllString(every, "$1")
	if cfg, err := config.Parse("x", []byte("#"+every)); err != nil || !cmp.Equal(cfg, config.Default(), cmpopts.EquateEmpty()) || !strings.Contains(every, "\nmerge_quiet = ") {
		t.Errorf("every key without marks: %v, want the defaults", err)
	}
	printed := call(t, deps, dir, "init", "--print")
	if _, err := os.Stat(filepath.Join(dir, config.Name)); err == nil {
		t.Error("init --print wrote a file")
	}
	if got := call(t, deps, dir, "init"); got.exit != ExitOK || !strings.Contains(got.stdout, "next: regreen run") {
		t.Errorf("init = %+v", got)
	}
	src, err := os.ReadFile(filepath.Join(dir, config.Name))
	if err != nil || string(src) != printed.stdout || !strings.Contains(printed.stdout, "# vitest 3.2.4, from package.json scripts.test: --env edge\n") {
		t.Errorf("file = %q, %v, want what was printed: %q", src, err, printed.stdout)
	}
	// What the comments offer is valid once the marks are gone.
	text := strings.NewReplacer("# [[", "[[", "# root", "root", "# framework", "framework", "# merge", "merge", "# [cycle", "[cycle", "# full", "full").Replace(printed.stdout)
	if cfg, err := config.Parse("x", []byte(text)); err != nil || len(cfg.Project) != 2 || cfg.Cycle.Merge != "propose" {
		t.Errorf("without marks: %v, %v", cfg.Project, err)
	}
	none := Deps{Detect: func(context.Context, Repo) ([]runner.Candidate, error) { return nil, nil }}
	if got := call(t, none, t.TempDir(), "init"); got.exit != ExitOK || strings.Contains(got.stdout, "regreen run") || !strings.Contains(got.stdout, "[[project]]") {
		t.Errorf("init without a framework = %+v, want the next step that works", got)
	}
	if got := call(t, deps, dir, "init"); got.exit != ExitUsage || !strings.Contains(got.stderr, "is there already") {
		t.Errorf("second init = %+v, want exit 2", got)
	}
}

func TestDoctor(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, config.Name), "[cycle]\nbudget = 3\n")
	deps := Deps{
		Detect: func(context.Context, Repo) ([]runner.Candidate, error) {
			return []runner.Candidate{{Project: runner.Project{Root: ".", Framework: "jest"}, Problem: "not installed", Hint: "npm ci"}}, nil
		},
		Folders: func(context.Context, Repo) (int, error) { return 3, nil },
		Isolation: func(context.Context, Repo) (sandbox.Walls, error) {
			return sandbox.Walls{Level: "copy", Note: "no namespaces", Limits: "256 MB of output", Gaps: []string{"nothing is walled off"}}, nil
		},
		StateDir: func([]string) (string, error) { return filepath.Join(dir, "state"), nil },
	}
	got := call(t, deps, dir, "doctor", "--json")
	var d struct {
		Isolation string
		Checks    []Check
	}
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatal(err)
	}
	status := map[string]string{}
	for _, c := range d.Checks {
		status[c.Name] = c.Status
	}
	for name, want := range map[string]string{"git": "ok", "repository": "ok", "config": "fail", "jest": "fail", "isolation": "ok", "limits": "ok", "state-folder": "ok"} {
		if status[name] != want {
			t.Errorf("check %s = %q, want %q (%s)", name, status[name], want, got.stdout)
		}
	}
	for _, said := range []string{"copy: no namespaces; nothing is walled off; a probe", "256 MB of output"} {
		if !strings.Contains(got.stdout, said) {
			t.Errorf("doctor does not say %q: %s", said, got.stdout)
		}
	}
	if got.exit != ExitEnvironment || d.Isolation != "copy" {
		t.Errorf("exit = %d, isolation = %q", got.exit, d.Isolation)
	}
	if text := call(t, deps, dir, "doctor"); !strings.Contains(text.stdout, "hint: npm ci") {
		t.Errorf("doctor printed %q", text.stdout)
	}
}

func TestCompletionAndVersion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := call(t, Deps{}, t.TempDir(), "completion", shell); got.exit != 0 || !strings.Contains(got.stdout, "regreen") {
			t.Errorf("completion %s = exit %d, %d bytes", shell, got.exit, len(got.stdout))
		}
	}
	for _, args := range [][]string{{"--version"}, {"--version", "--json"}} {
		want := call(t, Deps{}, t.TempDir(), append([]string{"version"}, args[1:]...)...)
		if got := call(t, Deps{}, t.TempDir(), args...); got != want {
			t.Errorf("regreen %q = %+v, want %+v", args, got, want)
		}
	}
	if got := call(t, Deps{}, t.TempDir(), "version"); got.exit != 0 || !strings.HasPrefix(got.stdout, "regreen ") {
		t.Errorf("version = %+v", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

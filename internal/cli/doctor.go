package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/proc"
)

// Check is one thing that doctor looked at.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok | warn | fail
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
}

const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

// minDisk is what a sandbox of a large repository takes, with room.
const minDisk = 1 << 30

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that regreen needs here",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			isolation, checks := a.doctor(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			for _, c := range checks {
				if c.Status == statusFail {
					a.exit = ExitEnvironment
				}
			}
			if a.flags.json {
				a.printJSON(struct {
					Schema    int            `json:"schema"`
					Isolation string         `json:"isolation"`
					Checks    []Check        `json:"checks"`
					Error     *cycle.Problem `json:"error"`
				}{cycle.Schema, isolation, checks, nil})
				return nil
			}
			printChecks(a.screen(a.stdout), checks)
			return nil
		},
	}
}

func printChecks(s screen, checks []Check) {
	styles := map[string]string{statusOK: green, statusWarn: yellow, statusFail: red}
	for _, c := range checks {
		fmt.Fprintf(s.w, "%s %-13s %s\n", s.paint(styles[c.Status], fmt.Sprintf("%-4s", c.Status)), c.Name, oneLine(c.Detail))
		if c.Hint != "" {
			fmt.Fprintf(s.w, "     %-13s hint: %s\n", "", oneLine(c.Hint))
		}
	}
}

// doctor runs every check as far as it can: one that fails does not hide the
// others.
func (a *app) doctor(ctx context.Context) (isolation string, checks []Check) {
	add := func(c Check) { checks = append(checks, c) }
	add(gitVersion(a.tool(ctx, "git", statusFail, oldGit, "git")))
	r := Repo{Dir: a.dir, Environ: a.environ, Config: config.Default(), Log: a.logger()}
	root, err := a.deps.Root(ctx, a.dir, a.environ)
	if err != nil {
		add(failed(ctx, "repository", err))
	} else {
		r.Root = root
		add(Check{"repository", statusOK, root, ""})
		add(a.checkConfig(ctx, &r))
	}
	needsNode, needsPython := true, true
	if r.Root != "" {
		var projects []Check
		projects, needsNode, needsPython = a.checkProjects(ctx, r)
		checks = append(checks, projects...)
	}
	if needsNode {
		add(a.tool(ctx, "node", statusWarn, "needed for jest, vitest and mocha", "node"))
	}
	if needsPython {
		add(a.tool(ctx, "python", statusWarn, "needed for pytest, and to check Python syntax", "python3", "python"))
	}
	if r.Root != "" {
		var cs []Check
		isolation, cs = a.checkIsolation(ctx, r)
		checks = append(checks, cs...)
	}
	return isolation, append(checks, a.systemChecks(ctx, r.Root, func(ctx context.Context) (int, error) { return a.deps.Folders(ctx, r) })...)
}

func failed(ctx context.Context, name string, err error) Check {
	p := problemOf(ctx, err)
	return Check{name, statusFail, p.Message, p.Hint}
}

func (a *app) checkConfig(ctx context.Context, r *Repo) Check {
	r.ConfigPath = config.Find(r.Root)
	if a.flags.config != "" {
		r.ConfigPath = a.abs(a.flags.config)
	}
	cfg, err := config.Load(r.ConfigPath)
	if err != nil {
		return failed(ctx, "config", a.shorten(err))
	}
	r.Config = cfg
	if r.ConfigPath == "" {
		return Check{"config", statusOK, "no " + config.Name + ", everything is detected", ""}
	}
	return Check{"config", statusOK, r.ConfigPath, ""}
}

// oldGit is the hint when git is missing or too old.
const oldGit = "install git 2.20 or newer"

// gitVersion holds what git said of its version against the oldest that works.
func gitVersion(c Check) Check {
	var major, minor int
	if c.Status != statusOK {
		return c
	}
	if _, err := fmt.Sscanf(c.Detail, "git version %d.%d", &major, &minor); err == nil && (major < 2 || major == 2 && minor < 20) {
		c.Status, c.Hint = statusFail, oldGit
	}
	return c
}

// checkProjects looks at the frameworks, and tells whose interpreters they
// need: both where nothing is known.
func (a *app) checkProjects(ctx context.Context, r Repo) (out []Check, node, python bool) {
	found, err := a.deps.Detect(ctx, r)
	if err != nil {
		return []Check{failed(ctx, "frameworks", err)}, true, true
	}
	if len(found) == 0 {
		return []Check{{"frameworks", statusFail, "no test framework found",
			"supported: " + strings.Join(config.Frameworks(), ", ") + "; set [[project]] in " + config.Name}}, true, true
	}
	for _, c := range found {
		p := c.Project
		if p.Framework == "pytest" {
			python = true
		} else {
			node = true
		}
		detail := fmt.Sprintf("%s in %s", strings.TrimSpace(p.Framework+" "+p.Version), p.Root)
		if about := source(p); about != "" {
			detail += " (" + about + ")"
		}
		if c.Problem != "" {
			out = append(out, Check{p.Framework, statusFail, detail + ": " + c.Problem, c.Hint})
			continue
		}
		out = append(out, Check{p.Framework, statusOK, detail, ""})
	}
	return out, node, python
}

// checkIsolation says what a run is kept from, what not, and what bounds it.
func (a *app) checkIsolation(ctx context.Context, r Repo) (string, []Check) {
	w, err := a.deps.Isolation(ctx, r)
	if err != nil {
		return "", []Check{failed(ctx, "isolation", err)}
	}
	detail := w.Level
	if w.Note != "" {
		detail += ": " + w.Note
	}
	if len(w.Gaps) > 0 {
		detail += "; " + strings.Join(w.Gaps, "; ")
	}
	if w.Level != "namespace" {
		detail += "; a probe of what tests import decides whether a result may be merged"
	}
	return w.Level, []Check{{"isolation", statusOK, detail, ""}, {"limits", statusOK, w.Limits, ""}}
}

// checkState looks whether the state folder can be written and has room.
func (a *app) checkState(root string) []Check {
	dir, err := a.deps.StateDir(a.environ)
	if err != nil {
		return []Check{{"state-folder", statusFail, err.Error(), "set XDG_STATE_HOME to a folder that can be written"}}
	}
	there := dir
	for {
		if _, err := os.Stat(there); err == nil || filepath.Dir(there) == there {
			break
		}
		there = filepath.Dir(there)
	}
	probe, err := os.CreateTemp(there, ".regreen-doctor-*")
	if err != nil {
		return []Check{{"state-folder", statusFail, fmt.Sprintf("%s cannot be written: %v", dir, err),
			"set XDG_STATE_HOME to a folder that can be written"}}
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	checks := []Check{{"state-folder", statusOK, dir, ""}}
	free, err := freeBytes(there)
	switch {
	case err != nil:
		checks = append(checks, Check{"disk-space", statusWarn, "unknown: " + err.Error(), ""})
	case free < minDisk:
		checks = append(checks, Check{"disk-space", statusWarn, fmt.Sprintf("%d MB free for %s", free>>20, dir),
			"a sandbox holds a copy of the working tree; make room or set XDG_STATE_HOME"})
	default:
		checks = append(checks, Check{"disk-space", statusOK, fmt.Sprintf("%d GB free", free>>30), ""})
	}
	return append(checks, checkStale(dir, root)...)
}

// tool asks the first of the programs that is there for its version.
func (a *app) tool(ctx context.Context, name, missing, hint string, programs ...string) Check {
	for _, prog := range programs {
		path, err := lookPath(a.environ, prog)
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		out := proc.NewTail(4096)
		ex, err := proc.Local{}.Run(ctx, proc.Cmd{Path: path, Args: []string{"--version"}, Dir: a.dir, Env: a.environ, Stdout: out, Stderr: out})
		switch {
		case err != nil:
			return Check{name, missing, err.Error(), hint}
		case ex.Stopped:
			return Check{name, missing, path + " --version does not end", hint}
		case ex.Code != 0:
			return Check{name, missing, fmt.Sprintf("%s --version ends with %d", path, ex.Code), hint}
		}
		return Check{name, statusOK, fmt.Sprintf("%s (%s)", headline(out.String(), ""), path), ""}
	}
	return Check{name, missing, "not found on PATH", hint}
}

// lookPath is exec.LookPath for a given environment.
func lookPath(environ []string, prog string) (string, error) {
	exts := []string{""}
	if runtime.GOOS == "windows" {
		exts = strings.Split(strings.ToLower(env(environ, "PATHEXT")), ";")
	}
	for _, dir := range filepath.SplitList(env(environ, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ext := range exts {
			path := filepath.Join(dir, prog+ext)
			fi, err := os.Stat(path)
			if err == nil && !fi.IsDir() && (runtime.GOOS == "windows" || fi.Mode()&0o111 != 0) {
				return path, nil
			}
		}
	}
	return "", &exec.Error{Name: prog, Err: errors.New("not found on PATH")}
}

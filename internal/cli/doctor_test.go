package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// doctorDeps is a machine on which all is well.
func doctorDeps(dir string, frameworks ...string) Deps {
	var found []runner.Candidate
	for _, f := range frameworks {
		found = append(found, runner.Candidate{Project: runner.Project{Root: ".", Framework: f, Version: "9.0.0"}})
	}
	return Deps{
		Root:    func(context.Context, string, []string) (string, error) { return dir, nil },
		Detect:  func(context.Context, Repo) ([]runner.Candidate, error) { return found, nil },
		Folders: func(context.Context, Repo) (int, error) { return 3, nil },
		Isolation: func(context.Context, Repo) (sandbox.Walls, error) {
			return sandbox.Walls{Level: "namespace", Limits: "60 processes"}, nil
		},
		StateDir: func([]string) (string, error) { return filepath.Join(dir, "state"), nil },
	}
}

// TestDoctorTools holds that a project is asked for what it needs and for
// nothing else, and that every check has a name, a status, and a hint when it
// is not well.
func TestDoctorTools(t *testing.T) {
	for _, tt := range []struct {
		frameworks   []string
		node, python bool
	}{{[]string{"vitest"}, true, false}, {[]string{"jest", "mocha"}, true, false}, {[]string{"pytest"}, false, true}, {[]string{"pytest", "vitest"}, true, true}, {nil, true, true}} {
		t.Run(strings.Join(tt.frameworks, " "), func(t *testing.T) {
			dir := t.TempDir()
			got := call(t, doctorDeps(dir, tt.frameworks...), dir, "doctor", "--json")
			var d struct {
				Schema    int
				Isolation string
				Checks    []Check
			}
			if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || d.Schema != 1 || d.Isolation != "namespace" {
				t.Fatalf("%v in %s", err, got.stdout)
			}
			var names []string
			for _, c := range d.Checks {
				names = append(names, c.Name)
				if c.Name == "" || c.Detail == "" || !slices.Contains([]string{statusOK, statusWarn, statusFail}, c.Status) || c.Status == statusOK && c.Hint != "" || strings.Contains(c.Hint, "\n") {
					t.Errorf("check %+v", c)
				}
			}
			if slices.Contains(names, "node") != tt.node || slices.Contains(names, "python") != tt.python {
				t.Errorf("checks = %q", names)
			}
			for _, name := range []string{"git", "repository", "config", "isolation", "file-system", "socket-folder", "state-folder", "disk-space", "stale-state"} {
				if !slices.Contains(names, name) {
					t.Errorf("no check %s in %q", name, names)
				}
			}
		})
	}
}

func TestDoctorGitVersion(t *testing.T) {
	for detail, want := range map[string]string{
		"git version 2.39.5 (/usr/bin/git)": statusOK, "git version 2.20.0 (x)": statusOK, "git version 3.0.0 (x)": statusOK, "git, odd (x)": statusOK,
		"git version 2.19.9 (x)": statusFail, "git version 1.8.3.1 (x)": statusFail,
	} {
		c := gitVersion(Check{"git", statusOK, detail, ""})
		if c.Status != want || (c.Hint == "") != (want == statusOK) {
			t.Errorf("gitVersion(%q) = %+v, want %s", detail, c, want)
		}
	}
	if c := gitVersion(Check{"git", statusFail, "not found on PATH", "install"}); c.Status != statusFail || c.Hint != "install" {
		t.Errorf("without git: %+v", c)
	}
}

func TestDoctorWatchLimits(t *testing.T) {
	for _, tt := range []struct {
		name               string
		watches, instances string
		folders            int
		err                error
		want               string // "" for no check
		hint               string
	}{
		{"ok", "8192", "128", 100, nil, statusOK, ""},
		{"too many", "8192", "128", 9000, nil, statusWarn, "max_user_watches=18000"},
		{"nearly", "8192", "128", 5000, nil, statusWarn, "max_user_watches=20000"},
		{"few instances", "8192", "4", 100, nil, statusWarn, "max_user_instances=128"},
		{"not counted", "8192", "128", 0, errors.New("no"), statusWarn, ""},
		{"not Linux", "", "", 100, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.watches != "" {
				write(t, filepath.Join(dir, "max_user_watches"), tt.watches+"\n")
				write(t, filepath.Join(dir, "max_user_instances"), tt.instances+"\n")
			}
			got := checkWatchLimits(dir, tt.folders, tt.err)
			if tt.want == "" {
				if len(got) != 0 {
					t.Errorf("checks = %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Status != tt.want || !strings.Contains(got[0].Hint, tt.hint) || (tt.hint == "") != (got[0].Hint == "") {
				t.Errorf("checks = %+v, want %s, %q", got, tt.want, tt.hint)
			}
		})
	}
}

func TestDoctorFileSystem(t *testing.T) {
	for _, tt := range []struct{ kind, deaf, status, detail string }{
		{"ext4", "", statusOK, "ext4, saves are seen at once"},
		{"", "", statusOK, "local, saves are seen at once"},
		{"nfs", "it is on NFS", statusWarn, "nfs: polled, since it is on NFS"},
		{"", "no event came", statusWarn, "polled, since no event came"},
	} {
		if c := checkFileSystem(tt.kind, tt.deaf); c.Status != tt.status || c.Detail != tt.detail || (c.Hint == "") != (tt.status == statusOK) {
			t.Errorf("checkFileSystem(%q, %q) = %+v", tt.kind, tt.deaf, c)
		}
	}
}

func TestDoctorSocket(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run", "s.sock")
	if c := checkSocket(path); c[0].Status != statusOK {
		t.Errorf("before it is made: %+v", c)
	}
	write(t, path, "") // nobody answers
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if c := checkSocket(path); c[0].Status != statusWarn || c[0].Hint == "" {
		t.Errorf("a socket left over: %+v", c)
	}
	if err := os.Remove(filepath.Dir(path) + "/s.sock"); err != nil {
		t.Fatal(err)
	}
	if c := checkSocket(path); c[0].Status != statusOK {
		t.Errorf("a safe folder: %+v", c)
	}
	file := filepath.Join(dir, "file", "s.sock")
	write(t, filepath.Dir(file), "")
	if c := checkSocket(file); c[0].Status != statusFail || c[0].Hint == "" {
		t.Errorf("a folder that is none: %+v", c)
	}
}

func TestDoctorState(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	status := func(of Deps) map[string]Check {
		a := &app{deps: of, dir: dir}
		out := map[string]Check{}
		for _, c := range a.checkState(dir) {
			out[c.Name] = c
		}
		return out
	}
	deps := doctorDeps(dir)
	if got := status(deps); got["state-folder"].Status != statusOK || got["stale-state"].Status != statusOK || got["disk-space"].Detail == "" {
		t.Errorf("checks = %+v", got)
	}
	alternates := func(id string) string {
		return filepath.Join(state, id, "shadow.git", "objects", "info", "alternates")
	}
	write(t, alternates("0123456789ab"), dir+"\n")
	write(t, filepath.Join(state, "notes", "x"), "")
	if got := status(deps)["stale-state"]; got.Status != statusOK {
		t.Errorf("with the state of a repository that is there: %+v", got)
	}
	write(t, alternates("ba9876543210"), filepath.Join(dir, "gone", "objects")+"\n")
	if got := status(deps)["stale-state"]; got.Status != statusWarn || !strings.Contains(got.Hint, "ba9876543210") || strings.Contains(got.Hint, "0123456789ab") {
		t.Errorf("with the state of a repository that is gone: %+v", got)
	}
	deps.StateDir = func([]string) (string, error) { return "", errors.New("HOME is not set") }
	if got := status(deps)["state-folder"]; got.Status != statusFail || got.Hint == "" {
		t.Errorf("without a folder: %+v", got)
	}
	write(t, filepath.Join(dir, "file"), "")
	deps.StateDir = func([]string) (string, error) { return filepath.Join(dir, "file"), nil }
	if got := status(deps)["state-folder"]; got.Status != statusFail || got.Hint == "" {
		t.Errorf("with a folder that cannot be written: %+v", got)
	}
}

// TestDoctorFailures holds the other side of what is asked of the packages
// below.
func TestDoctorFailures(t *testing.T) {
	dir := t.TempDir()
	no := errors.New("no")
	for name, change := range map[string]func(*Deps){
		"repository": func(d *Deps) { d.Root = func(context.Context, string, []string) (string, error) { return "", no } },
		"frameworks": func(d *Deps) { d.Detect = func(context.Context, Repo) ([]runner.Candidate, error) { return nil, no } },
		"isolation": func(d *Deps) {
			d.Isolation = func(context.Context, Repo) (sandbox.Walls, error) { return sandbox.Walls{}, no }
		},
	} {
		deps := doctorDeps(dir, "vitest")
		change(&deps)
		got := call(t, deps, dir, "doctor")
		if got.exit != ExitEnvironment || !strings.Contains(got.stdout, "fail "+name) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"regreen/internal/git/gittest"
)

func TestHookPrints(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"vim", "nvim", "neovim", "emacs", "vscode", "code", "jetbrains", "helix", "sublime", "zed", "systemd", "launchd"} {
		text := call(t, Deps{}, dir, "hook", name)
		if text.exit != ExitOK || !strings.Contains(text.stdout, "regreen: ") || text.stderr != "" {
			t.Errorf("hook %s = %+v", name, text)
		}
		var d struct {
			Schema           int
			Name, Path, Text string
		}
		got := call(t, Deps{}, dir, "hook", name, "--json")
		if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || d.Text != text.stdout || d.Path == "" || d.Name == "" || d.Schema != 1 {
			t.Errorf("hook %s --json = %+v, %v", name, d, err)
		}
		if !strings.Contains(d.Text, d.Path) {
			t.Errorf("hook %s does not say where it goes", name)
		}
	}
}

func TestHookUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"did you mean vim? valid: emacs, git, helix, jetbrains, launchd, neovim, sublime, systemd, vim, vscode, zed": {"hook", "vmi"},
		"valid: emacs, git, ":                            {"hook"},
		"unknown editor \"notepad\"":                     {"hook", "notepad"},
		"there is no block for the hook \"pre-psh\"":     {"hook", "git", "--hook", "pre-psh"},
		"did you mean pre-push?":                         {"hook", "git", "--hook", "pre-psh"},
		"--remove and --print contradict each other":     {"hook", "git", "--remove", "--print"},
		"regreen: hint: usage: regreen hook git [flags]": {"hook", "git", "x"},
	} {
		if got := call(t, Deps{}, t.TempDir(), args...); got.exit != ExitUsage || !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("regreen %q = %+v, want exit 2 and %q", args, got, want)
		}
	}
}

// TestHookGit holds that a hook is written where git runs it from, that the
// user's configuration is not touched, and that it is taken away without trace.
func TestHookGit(t *testing.T) {
	const own = "#!/bin/sh\n# mine\nnpm test"
	tests := []struct {
		name  string
		args  []string
		hook  string // rel
		was   string // "" when it is not there
		setup func(t *testing.T, dir string)
	}{
		{name: "new", hook: ".git/hooks/pre-commit"},
		{name: "pre-push", args: []string{"--hook", "pre-push"}, hook: ".git/hooks/pre-push"},
		{name: "an existing one", hook: ".git/hooks/pre-commit", was: own},
		{name: "hooksPath", hook: "tools/pre-commit", was: own, setup: func(t *testing.T, dir string) {
			gittest.At(t, dir).Git("config", "core.hooksPath", "tools")
		}},
		{name: "husky", hook: ".husky/pre-commit", was: "npm test\n", setup: func(t *testing.T, dir string) {
			gittest.At(t, dir).Git("config", "core.hooksPath", ".husky/_")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			gittest.At(t, dir).Git("init", "-q", ".")
			if tt.setup != nil {
				tt.setup(t, dir)
			}
			path := filepath.Join(dir, filepath.FromSlash(tt.hook))
			if tt.was != "" {
				write(t, path, tt.was)
				if err := os.Chmod(path, 0o750); err != nil {
					t.Fatal(err)
				}
			}
			config := read(t, filepath.Join(dir, ".git", "config"))
			args := append([]string{"hook", "git"}, tt.args...)
			for i, status := range []string{"installed", "unchanged"} {
				got := call(t, Deps{}, dir, args...)
				if got.exit != ExitOK || !strings.HasPrefix(got.stdout, status+": ") {
					t.Fatalf("call %d = %+v, want %s", i, got, status)
				}
			}
			if src := read(t, path); !strings.HasPrefix(src, tt.was) || !strings.Contains(src, " run --no-merge --quiet") {
				t.Errorf("the hook is %q", src)
			}
			if fi, err := os.Stat(path); err != nil || tt.was != "" && fi.Mode().Perm() != 0o750 || fi.Mode()&0o100 == 0 {
				t.Errorf("the hook's mode is %v, %v", fi.Mode(), err)
			}
			var d hookResult
			got := call(t, Deps{}, dir, append(args, "--remove", "--json")...)
			if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || d.Status != "removed" || d.Name != "git" {
				t.Fatalf("--remove --json = %+v, %v", got, err)
			}
			if _, err := os.Stat(path); tt.was == "" != os.IsNotExist(err) {
				t.Errorf("after --remove: %v", err)
			}
			if tt.was != "" && read(t, path) != tt.was {
				t.Errorf("after --remove: %q, want %q", read(t, path), tt.was)
			}
			if got := call(t, Deps{}, dir, append(args, "--remove")...); got.exit != ExitOK || !strings.Contains(got.stdout, "has no block") {
				t.Errorf("--remove again = %+v", got)
			}
			if now := read(t, filepath.Join(dir, ".git", "config")); now != config {
				t.Errorf("git's configuration is %q, was %q", now, config)
			}
		})
	}
}

func TestHookGitElsewhere(t *testing.T) {
	dir := t.TempDir()
	gittest.At(t, dir).Git("init", "-q", ".")
	write(t, filepath.Join(dir, "lefthook.yml"), "pre-push:\n")
	got := call(t, Deps{}, dir, "hook", "git")
	if got.exit != ExitOK || !strings.Contains(got.stdout, "pre-commit:\n  commands:\n    regreen:\n      run: regreen run --no-merge") || !strings.Contains(got.stderr, "lefthook writes the hooks here") {
		t.Errorf("with lefthook: %+v", got)
	}
	if src := read(t, filepath.Join(dir, "lefthook.yml")); src != "pre-push:\n" {
		t.Errorf("lefthook.yml is %q", src)
	}
	gittest.At(t, dir).Git("config", "core.hooksPath", "../shared")
	if got := call(t, Deps{}, dir, "hook", "git"); got.exit != ExitUsage || !strings.Contains(got.stderr, "outside the repository") {
		t.Errorf("with a shared folder: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "shared")); !os.IsNotExist(err) {
		t.Errorf("the shared folder was made: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

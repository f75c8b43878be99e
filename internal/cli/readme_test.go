package cli

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeCommands holds that every command line in the README is one that
// the program accepts.
func TestReadmeCommands(t *testing.T) {
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(src), "\n") {
		line, ok := strings.CutPrefix(line, "$ regreen ")
		if !ok {
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		line, _, _ = strings.Cut(line, "|")
		n++
		a := &app{}
		cmd, rest, err := a.root().Find(strings.Fields(line))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("regreen %s: %v", line, err)
		}
	}
	if n < 5 {
		t.Errorf("%d command lines found, want some", n)
	}
}

// TestDiffCommands holds that where a diff is shown to be piped into regreen, in
// the README or the help, it names both ends of a move, and regreen the base:
// else a file that a commit moved or deleted selects none of its importers.
func TestDiffCommands(t *testing.T) {
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(src) + (&app{}).affectedCommand().Example) {
		if !strings.Contains(line, "git diff") || !strings.Contains(line, "--stdin0") {
			continue
		}
		n++
		if !strings.Contains(line, "--no-renames") || !strings.Contains(line, "--base") {
			t.Errorf("%s lacks --no-renames or --base", strings.TrimSpace(line))
		}
	}
	if n < 2 {
		t.Errorf("%d such commands found, want some", n)
	}
}

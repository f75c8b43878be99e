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

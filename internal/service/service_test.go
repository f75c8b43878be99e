package service

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// odd is a repository whose path has all that has to be quoted.
var odd = Service{Program: "/opt/my tools/regreen", Root: `/home/me/a "b" & 100% <c>\d$HOME`, Environ: []string{"PATH=/usr/bin:/a b/bin", "XDG_STATE_HOME=/data/my & 100% <state>=$x"}}

// TestNeeds holds that a service finds and is found where the user's shell is
// set to look.
func TestNeeds(t *testing.T) {
	got := Needs([]string{"XDG_STATE_HOME=/old", "HOME=/home/me", "XDG_STATE_HOME=/state", "PATH=/bin", "XDG_CONFIG_HOME=", "XDG_RUNTIME_DIR=/run/user/7", "SECRET=1", "PATHS=2"})
	if want := []string{"PATH=/bin", "XDG_RUNTIME_DIR=/run/user/7", "XDG_STATE_HOME=/state"}; !slices.Equal(got, want) {
		t.Errorf("Needs = %q, want %q", got, want)
	}
}

func TestSystemd(t *testing.T) {
	path, text := odd.Systemd()
	if !strings.HasPrefix(path, "~/.config/systemd/user/regreen-a-b-100-c-d-HOME-") {
		t.Errorf("path = %s", path)
	}
	for _, want := range []string{
		`ExecStart="/opt/my tools/regreen" watch -C "/home/me/a \"b\" & 100%% <c>\\d$$HOME" --color=never`,
		`Environment="PATH=/usr/bin:/a b/bin"`,
		`Environment="XDG_STATE_HOME=/data/my & 100%% <state>=$x"`,
	} {
		if !slices.Contains(strings.Split(text, "\n"), want) {
			t.Errorf("no line %s in\n%s", want, text)
		}
	}
	if other, _ := (Service{Root: "/other/" + filepath.Base(odd.Root)}).Systemd(); other == path {
		t.Errorf("two repositories share %s", path)
	}
}

// TestSystemdVerify asks systemd itself.
func TestSystemdVerify(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	dir := t.TempDir()
	s := odd
	s.Program = filepath.Join(dir, "my $tools", "regreen")
	if err := os.MkdirAll(filepath.Dir(s.Program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, text := s.Systemd()
	unit := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(verify, "verify", "--user", unit)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "SYSTEMD_LOG_LEVEL=warning")
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), filepath.Base(unit)) {
		t.Skipf("systemd-analyze does not work here: %v %s", err, out)
	}
	if err != nil || strings.Contains(string(out), filepath.Base(unit)) {
		t.Errorf("systemd-analyze verify: %v\n%s\n%s", err, out, text)
	}
}

// TestLaunchd reads the property list: keys and values take turns.
func TestLaunchd(t *testing.T) {
	path, text := odd.Launchd()
	dec := xml.NewDecoder(strings.NewReader(text))
	var words []string
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && (e.Name.Local == "string" || e.Name.Local == "key") {
			var s string
			if err := dec.DecodeElement(&s, &e); err != nil {
				t.Fatal(err)
			}
			words = append(words, s)
		}
	}
	label := strings.TrimSuffix(strings.TrimPrefix(path, "~/Library/LaunchAgents/"), ".plist")
	want := []string{"Label", label, "ProgramArguments", odd.Program, "watch", "-C", odd.Root, "--color=never",
		"EnvironmentVariables", "PATH", "/usr/bin:/a b/bin", "XDG_STATE_HOME", "/data/my & 100% <state>=$x", "RunAtLoad", "KeepAlive", "SuccessfulExit", "ThrottleInterval"}
	if !slices.Equal(words, want) {
		t.Errorf("words = %q, want %q", words, want)
	}
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		return // the decoder has read it
	}
	cmd := exec.Command(lint, "--nonet", "--noout", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("xmllint: %v %s", err, out)
	}
}

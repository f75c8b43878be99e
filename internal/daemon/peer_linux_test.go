package daemon

import (
	"os"
	"os/exec"
	"testing"

	"regreen/internal/jail"
)

// TestPeerBehindWalls: a program of the user's gets an answer, and what runs
// behind the walls none: a test could stop the daemon, or have it apply what it
// proposes.
func TestPeerBehindWalls(t *testing.T) {
	f := begin(t, nil)
	self, err := os.Executable()
	must(t, err)
	for _, c := range []struct {
		name string
		args []string
		want bool
	}{{"outside", nil, true}, {"behind walls", []string{jail.Command}, false}} {
		cmd := exec.Command(self, c.args...)
		cmd.Env = append(os.Environ(), envDial+"="+f.cfg.Socket)
		if err := cmd.Run(); (err == nil) != c.want {
			t.Errorf("%s: answered %v, want %v (%v)", c.name, err == nil, c.want, err)
		}
	}
	if _, err := f.c.Status(t.Context()); err != nil {
		t.Errorf("the daemon is gone: %v", err)
	}
}

package cli

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
)

// failing is a standard output that cannot be written.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		exit int
	}{
		{"full disk", syscall.ENOSPC, ExitEnvironment},
		{"input/output error", syscall.EIO, ExitEnvironment},
		{"nobody reads", syscall.EPIPE, ExitOK},
		{"nobody reads a pipe of ours", io.ErrClosedPipe, ExitOK},
	} {
		for _, args := range [][]string{{"version"}, {"version", "--json"}} {
			t.Run(c.name+" "+strings.Join(args, " "), func(t *testing.T) {
				var stderr bytes.Buffer
				exit := RunWith(t.Context(), Deps{}, args, strings.NewReader(""), failing{c.err}, &stderr, nil, t.TempDir())
				said := strings.Contains(stderr.String(), "regreen: error: write the result to standard output")
				if exit != c.exit || said != (c.exit != ExitOK) {
					t.Errorf("exit %d, want %d; stderr %q", exit, c.exit, stderr.String())
				}
			})
		}
	}
}

func TestNoCommand(t *testing.T) {
	if got := call(t, Deps{}, t.TempDir(), "--json"); got.exit != ExitUsage || !strings.HasPrefix(got.stdout, `{"schema":1,`) {
		t.Errorf("regreen --json = %+v, want exit 2 and a document", got)
	}
	if got := call(t, Deps{}, t.TempDir()); got.exit != ExitOK || !strings.Contains(got.stdout, "Usage:") {
		t.Errorf("regreen = %+v, want help", got)
	}
	if got := call(t, Deps{}, t.TempDir(), "help", "nope"); got.exit != ExitUsage || got.stdout != "" {
		t.Errorf("regreen help nope = %+v, want exit 2", got)
	}
}

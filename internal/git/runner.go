package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"regreen/internal/proc"
)

// callLimit is the wall clock of one git call. A status of 50,000 files takes
// under a second; a call that needs minutes hangs on a lock or a network.
const callLimit = 2 * time.Minute

// Runner starts git in the one way that is safe beside a user: no hooks, no
// fsmonitor, no maintenance, no optional locks, no lazy fetch, an environment
// without GIT_*, its own process group and a time limit.
type Runner struct {
	path string
	env  []string
	conf []string
}

// NewRunner finds git on the PATH of environ.
func NewRunner(environ []string) (*Runner, error) {
	path, ok := lookPath(environ, "git")
	if !ok {
		return nil, &Error{Code: CodeGitMissing, Message: "git is not on the PATH",
			Hint: "install git 2.31 or newer"}
	}
	return &Runner{path: path, env: scrub(environ)}, nil
}

// kept are the GIT_* variables that say where the user's own configuration is
// and that no hook exports.
var kept = map[string]bool{"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true,
	"GIT_CONFIG_NOSYSTEM": true, "GIT_CEILING_DIRECTORIES": true}

// scrub gives git's environment. GIT_ALLOW_PROTOCOL is the one word on
// protocols that no configuration has the last say over (git(1)): git before
// 2.45 does not know GIT_NO_LAZY_FETCH.
func scrub(environ []string) []string {
	var env []string
	for _, kv := range environ {
		k, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(k, "GIT_") && !kept[k] || k == "LC_ALL" || k == "LANGUAGE" {
			continue
		}
		env = append(env, kv)
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0")
}

// lookPath is exec.LookPath on a given environment.
func lookPath(environ []string, name string) (string, bool) {
	var path string
	for _, kv := range environ {
		if k, v, _ := strings.Cut(kv, "="); k == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(k, "PATH") {
			path = v
		}
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		p := filepath.Join(dir, name)
		if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() &&
			(runtime.GOOS == "windows" || fi.Mode()&0o111 != 0) {
			return p, true
		}
	}
	return "", false
}

// always is set in front of every command. diff.autoRefreshIndex is off since
// git diff writes the refreshed index even without optional locks.
var always = []string{
	"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
	"-c", "maintenance.auto=false", "-c", "diff.autoRefreshIndex=false", "-c", "protocol.allow=never",
	"-c", "core.quotePath=false", "-c", "advice.detachedHead=false",
}

// Call is one git command.
type Call struct {
	Dir   string // abs
	Args  []string
	Env   []string // added to the runner's own
	Stdin io.Reader
}

// Run starts git and gives its standard output. An exit code other than 0 is
// an *ExitError, and the output so far is given with it.
func (r *Runner) Run(ctx context.Context, c Call) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, errors.New("git took too long"))
	defer cancel()
	var out bytes.Buffer
	errs := proc.NewTail(16 << 10)
	ex, err := proc.Local{}.Run(ctx, r.cmd(c, &out, errs))
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", c.Args[0], err)
	}
	if ex.Stopped {
		return nil, fmt.Errorf("git %s: %w", c.Args[0], context.Cause(ctx))
	}
	if ex.Code != 0 {
		return out.Bytes(), &ExitError{Args: c.Args, Code: ex.Code, Stderr: errs.String()}
	}
	return out.Bytes(), nil
}

func (r *Runner) cmd(c Call, stdout, stderr io.Writer) proc.Cmd {
	args := append([]string(nil), always...)
	args = append(args, r.conf...)
	return proc.Cmd{Path: r.path, Args: append(args, c.Args...), Dir: c.Dir,
		Env: append(append([]string(nil), r.env...), c.Env...), Stdin: c.Stdin, Stdout: stdout, Stderr: stderr}
}

// exitCode is the code of an *ExitError, -1 for any other error.
func exitCode(err error) int {
	var ee *ExitError
	if errors.As(err, &ee) {
		return ee.Code
	}
	return -1
}

// split cuts NUL-separated output.
func split(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

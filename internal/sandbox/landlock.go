package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"regreen/internal/jail"
	"regreen/internal/proc"
)

// landlockLevel runs beside the user's tree as copyLevel does, but what runs
// can write only to what is the sandbox's. Landlock has no say in modes, owners
// and time stamps of files elsewhere; their bytes and names are safe.
type landlockLevel struct{ s *Sandbox }

func (landlockLevel) level() string   { return "landlock" }
func (l landlockLevel) root() string  { return l.s.tree }
func (landlockLevel) prepared() error { return nil }
func (landlockLevel) close() error    { return nil }

func (l landlockLevel) spec() jail.Spec {
	return jail.Spec{Write: l.s.writable(l.s.tree), NeedLandlock: true, Limits: l.s.limitsOf(l.s.tree)}
}

func (l landlockLevel) run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error) {
	return jail.Run(ctx, l.s.helper, l.spec(), cmd)
}

func (l landlockLevel) host(ctx context.Context, cmd proc.Cmd, network bool) (proc.Exit, []string, error) {
	var notes []string
	if !network {
		notes = append(notes, noCut("landlock"))
	}
	spec := l.spec()
	spec.Write, spec.Limits = l.s.guestWritable(l.s.guestTree()), l.s.limitsOf(l.s.guestTree(), l.s.guestHouse())
	ex, err := jail.Run(ctx, l.s.helper, spec, cmd)
	return ex, notes, err
}

func (l landlockLevel) probe(ctx context.Context) error { return l.s.try(ctx, l.spec(), l.s.tree) }

// probeLimit is how long a trial of a level may take.
const probeLimit = 2 * time.Second

// try really puts up the walls of spec, and runs nothing in them but true. The
// worktree must be what stands at root.
func (s *Sandbox) try(ctx context.Context, spec jail.Spec, root string) error {
	if len(s.helper) == 0 {
		return &jail.SetupError{Problem: "this program has no helper"}
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	// A mark that only the worktree has; reading it in the jail proves that the
	// worktree is seen.
	mark := ".regreen-probe"
	at := filepath.Join(s.tree, mark)
	if err := os.WriteFile(at, nil, 0o600); err != nil {
		return fmt.Errorf("mark the worktree: %w", err)
	}
	defer func() { _ = os.Remove(at) }()
	ex, err := jail.Run(ctx, s.helper, spec, proc.Cmd{Path: "/bin/sh", Args: []string{"-c", "test -e " + mark}, Dir: root,
		Env: []string{"PATH=/usr/bin:/bin"}, Grace: time.Millisecond})
	switch {
	case err != nil:
		return err
	case ex.Stopped:
		return fmt.Errorf("%w: not done within %s", errProbe, probeLimit)
	case ex.Code != 0:
		return fmt.Errorf("%w: %s", errProbe, ex.How())
	}
	return nil
}

// devices are those that programs write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// writable is what may be written from inside: the worktree, which stands at
// root, our own folders for it, temporary folders and some devices.
func (s *Sandbox) writable(root string) []string {
	out := []string{root, s.tree, s.shadow.dir, s.scratch, s.tmp, filepath.Join(s.dir, "cache")}
	out = append(out, devices...)
	if os.Getuid() != 0 {
		out = append(out, "/proc") // the kernel asks for more than the user id there
	}
	keep := []string{s.dir, s.repo.CommonDir(), s.repo.GitDir(), s.repo.Root()}
	if s.within != "" {
		keep = append(keep, s.within)
	}
	for _, tmp := range []string{"/tmp", "/var/tmp"} {
		keep := keep
		if home := lookup(s.environ, "HOME"); filepath.IsAbs(home) && filepath.Clean(home) != tmp {
			keep = append(slices.Clone(keep), home)
		}
		out = append(out, beside(tmp, keep)...)
	}
	return out
}

// beside gives dir when none of keep lies in it, else what lies in it beside
// the paths that lead to them: Landlock cannot take anything out again of a
// folder that it allows.
func beside(dir string, keep []string) []string {
	var in []string
	for _, k := range keep {
		if real, err := filepath.EvalSymlinks(k); err == nil {
			k = real
		}
		if k == dir {
			return nil
		}
		if _, ok := inside(dir, k); ok {
			in = append(in, k)
		}
	}
	if len(in) == 0 {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if p := filepath.Join(dir, e.Name()); e.Type()&os.ModeSymlink == 0 {
			out = append(out, beside(p, in)...)
		}
	}
	return out
}

// lookup reads a variable of an environment, the last one as the system does.
func lookup(environ []string, key string) string {
	for _, kv := range slices.Backward(environ) {
		if len(kv) > len(key) && kv[:len(key)] == key && kv[len(key)] == '=' {
			return kv[len(key)+1:]
		}
	}
	return ""
}

// systemLimits are the limits of a run: the user's, and what keeps a run from
// taking the machine down where the user says nothing.
func systemLimits(cfg Config, dir string) jail.Limits {
	l := jail.DefaultLimits()
	l.Disk = dir
	if cfg.MemoryBytes > 0 {
		l.MemoryBytes = cfg.MemoryBytes
	}
	if cfg.Processes > 0 {
		l.Processes = cfg.Processes
	}
	if l.DiskBytes = maxRunDisk; cfg.DiskBytes > 0 {
		l.DiskBytes = cfg.DiskBytes
	}
	return l
}

// maxRunDisk is what a run may write when nothing is said: more than suites
// that unpack archives and databases do, and little of a disk of today.
const maxRunDisk = 10 << 30

// limitsOf are the limits of a run that writes to these folders and to our own.
func (s *Sandbox) limitsOf(dirs ...string) jail.Limits {
	l := s.limits
	if n := int64(s.share.Load()); n > 1 {
		l.MemoryBytes, l.DiskBytes, l.Processes = l.MemoryBytes/n, l.DiskBytes/n, l.Processes/int(n)
	}
	l.Written = append(dirs, s.tmp, s.scratch, s.shadow.dir, filepath.Join(s.dir, "cache"))
	return l
}

// Divide has each run from now on use the nth part of the limits: as many run
// at once, and together they may use what one may. It may be called while runs
// are under way, which keep what they have.
func (s *Sandbox) Divide(n int) { s.share.Store(int32(n)) }

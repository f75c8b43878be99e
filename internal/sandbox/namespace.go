package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"regreen/internal/jail"
	"regreen/internal/proc"
)

// namespaceLevel runs in a namespace in which the worktree stands over the
// repository's own path, and the package folders, which the worktree does not
// have, under a private layer in their own places.
//
// # Design
//
// One overlay of the user's whole tree is mounted at a place of ours, and each
// package folder is shown from there: an overlay takes longer to mount than
// all the rest, and a workspace has hundreds of package folders. Folders that
// are mounts of their own or lie elsewhere are not in that overlay and get
// one each.
type namespaceLevel struct {
	s *Sandbox
	// noPIDs: a new /proc cannot be mounted here.
	noPIDs bool

	mu     sync.Mutex // guards the fields below
	ready  bool       // a snapshot is prepared
	places []place
	busy   map[int]bool // layers in use
}

func (*namespaceLevel) level() string  { return "namespace" }
func (l *namespaceLevel) root() string { return l.s.repo.Root() }
func (*namespaceLevel) close() error   { return nil }

// insideObjects is where the user's objects are seen from inside, where the
// repository's own folder is covered.
func (s *Sandbox) insideObjects() string { return filepath.Join(s.dir, "objects") }

func (l *namespaceLevel) probe(ctx context.Context) error {
	// Wherever git is asked from, it finds the user's objects.
	if err := os.MkdirAll(l.s.insideObjects(), 0o700); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(l.s.dir, "alternates"), []byte(l.s.insideObjects()+"\n")); err != nil {
		return err
	}
	var last error
	for _, l.noPIDs = range []bool{false, true} {
		layer, err := l.take()
		if err != nil {
			return err
		}
		last = l.s.try(ctx, l.spec(layer, nil), l.s.repo.Root())
		l.give(layer)
		if last == nil || ctx.Err() != nil {
			return last
		}
		l.s.log.Debug("a namespace could not be set up", "shared_pids", l.noPIDs, "err", last)
	}
	return last
}

func (l *namespaceLevel) prepared() error {
	if err := l.s.placeMounts(l.s.places); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places, l.ready = slices.Concat(l.s.places, l.s.caches()), true
	return l.freshen()
}

func (l *namespaceLevel) run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error) {
	l.mu.Lock()
	ready, places := l.ready, l.places
	l.mu.Unlock()
	if !ready { // there is nothing to show yet
		return jail.Run(ctx, l.s.helper, jail.Spec{Write: l.s.writable(l.s.tree)}, cmd)
	}
	layer, err := l.take()
	if err != nil {
		return proc.Exit{}, err
	}
	defer l.give(layer)
	return jail.Run(ctx, l.s.helper, l.spec(layer, places), cmd)
}

// host shows the guest's tree in the repository's place, and packages under a
// layer that goes with it.
func (l *namespaceLevel) host(ctx context.Context, cmd proc.Cmd, network bool) (proc.Exit, []string, error) {
	y := layer{-1, l.s.guestHouse("layer")}
	err := y.make()
	var places []place
	for _, p := range l.s.places { // no caches: they would be read again by runs
		if p.own && err == nil {
			err = y.own(p.from).make()
		}
		places = append(places, p)
	}
	if err != nil {
		return proc.Exit{}, nil, err
	}
	spec := l.specOf(y, places, l.s.guestTree())
	// With packages goes their layer: what a guest does to them ends with it.
	spec.Write = append(l.s.guestWritable(l.s.repo.Root()), outside(places)...)
	spec.NoNetwork, spec.Limits.Written = !network, append(spec.Limits.Written, l.s.guestHouse("t"), l.s.guestHouse("home"))
	ex, err := jail.Run(ctx, l.s.helper, spec, cmd)
	return ex, nil, err
}

// outside are the places that lie in no other folder that may be written.
func outside(places []place) []string {
	var out []string
	for _, p := range places {
		if p.own && p.rel == "" && p.link == "" {
			out = append(out, p.at)
		}
	}
	return out
}

// spec is what a run with a layer sees.
func (l *namespaceLevel) spec(layer layer, places []place) jail.Spec {
	spec := l.specOf(layer, places, l.s.tree)
	spec.Write = append(l.s.writable(l.s.repo.Root()), outside(places)...)
	spec.NoNetwork = l.s.noNetwork
	return spec
}

// specOf shows a tree in the repository's place.
func (l *namespaceLevel) specOf(layer layer, places []place, tree string) jail.Spec {
	s, root := l.s, l.s.repo.Root()
	spec := jail.Spec{Namespace: true, SharedPIDs: l.noPIDs}
	written := []string{tree, layer.path("upper")}
	spec.Mounts = []jail.Mount{
		{From: filepath.Join(s.repo.CommonDir(), "objects"), To: s.insideObjects(), ReadOnly: true},
		{From: filepath.Join(s.dir, "alternates"), To: filepath.Join(s.shadow.dir, "objects", "info", "alternates"), ReadOnly: true},
		{From: root, To: layer.path("view"), Upper: layer.path("upper"), Work: layer.path("work")},
		{From: tree, To: root},
	}
	for _, p := range places {
		switch {
		case p.link != "":
		case p.own:
			o := layer.own(p.from)
			written = append(written, o.path("upper"))
			spec.Mounts = append(spec.Mounts, jail.Mount{From: p.from, To: p.at, Upper: o.path("upper"), Work: o.path("work")})
		default:
			spec.Mounts = append(spec.Mounts, jail.Mount{From: layer.path("view", filepath.FromSlash(p.rel)), To: p.at, Late: true})
		}
	}
	spec.Limits = s.limitsOf(written...)
	return spec
}

// layer is where what a run writes to package folders goes. Two runs at a time
// need two.
type layer struct {
	n   int
	dir string
}

func (l layer) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

// own is the layer of a folder that has one of its own.
func (l layer) own(from string) layer {
	return layer{n: l.n, dir: l.path("own", sumOf([]byte(from)).String()[:12])}
}

func (l layer) make() error {
	for _, d := range []string{"upper", "work", "view"} {
		if err := os.MkdirAll(l.path(d), 0o700); err != nil {
			return fmt.Errorf("make a layer: %w", err)
		}
	}
	return nil
}

func (l *namespaceLevel) layer(n int) layer {
	return layer{n, filepath.Join(l.s.dir, "layers", fmt.Sprint(n))}
}

// take gives a layer that no other run uses.
func (l *namespaceLevel) take() (layer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for l.busy[n] {
		n++
	}
	y := l.layer(n)
	if err := y.make(); err != nil {
		return y, err
	}
	for _, p := range l.places {
		if p.own {
			if err := y.own(p.from).make(); err != nil {
				return y, err
			}
		}
	}
	if l.busy == nil {
		l.busy = map[int]bool{}
	}
	l.busy[n] = true
	return y, nil
}

func (l *namespaceLevel) give(y layer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.busy, y.n)
}

// freshen takes out of the layers that no run uses all that hides the user's
// packages as they are now; what tools keep there for themselves stays. The
// lock is held.
func (l *namespaceLevel) freshen() error {
	entries, err := os.ReadDir(filepath.Join(l.s.dir, "layers"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("freshen the layers: %w", err)
	}
	for n := range entries {
		if l.busy[n] {
			continue
		}
		y := l.layer(n)
		owned, _ := os.ReadDir(y.path("own"))
		for _, o := range owned {
			if err := (layer{n, y.path("own", o.Name())}).freshen(true); err != nil {
				return err
			}
		}
		if err := y.freshen(false); err != nil {
			return err
		}
	}
	return nil
}

// freshen empties the layer but for private state; packages says that the
// layer is that of a package folder itself.
func (l layer) freshen(packages bool) error {
	upper, old := l.path("upper"), l.path("old")
	if err := removeAll(old); err != nil {
		return fmt.Errorf("empty a layer: %w", err)
	}
	if entries, err := os.ReadDir(upper); err != nil || len(entries) == 0 {
		return nil
	}
	if err := os.Rename(upper, old); err != nil {
		return fmt.Errorf("empty a layer: %w", err)
	}
	if err := os.MkdirAll(upper, 0o700); err != nil {
		return fmt.Errorf("empty a layer: %w", err)
	}
	keepState(old, upper, packages)
	if err := removeAll(old); err != nil {
		return fmt.Errorf("empty a layer: %w", err)
	}
	return nil
}

// keepState moves the private state of package folders from one tree to
// another. It is a cache: what cannot be moved is lost and made again.
func keepState(from, to string, packages bool) {
	entries, _ := os.ReadDir(from)
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case !e.IsDir():
		case packages && strings.HasPrefix(e.Name(), "."):
			if isPrivate(e.Name()) && os.MkdirAll(to, 0o755) == nil {
				_ = os.Rename(src, dst)
			}
		case !packages:
			keepState(src, dst, e.Name() == "node_modules")
		}
	}
}

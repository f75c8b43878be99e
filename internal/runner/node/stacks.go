package node

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"regreen/internal/runner"
)

// Hang finds out where a run that does not end is, by asking its Node
// processes over their inspectors just before they are killed. On any trouble
// it finds nothing; it never takes longer than about two seconds.
//
// # Design
//
// A process in an endless loop cannot answer, but Node's inspector runs on a
// thread of its own and SIGUSR1 starts it at any time. The debugger then
// interrupts the loop. One sample says where the loop's body happened to be;
// what several samples have in common is the loop.
type Hang struct {
	context Context

	mu     sync.Mutex // guards the fields below
	frames []runner.Frame
}

// The probe's limits. Nothing of it may hold up the kill for longer.
const (
	hangLimit    = 2 * time.Second
	processLimit = 900 * time.Millisecond
	threadLimit  = 300 * time.Millisecond
	sampleGap    = 4 * time.Millisecond
	samplesTaken = 8
)

// NewHang is a probe for one run.
func NewHang(c Context) *Hang { return &Hang{context: c} }

// Env is what the run's processes need in their environment: an inspector
// that is started later must not fight for one port.
func (h *Hang) Env() []string { return []string{"NODE_OPTIONS=--inspect-port=127.0.0.1:0"} }

// Frames are the project's frames where the run hung, innermost first; the
// first one's line is that of the endless loop's header, if it is in one. Nil
// when nothing was found.
func (h *Hang) Frames() []runner.Frame {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.frames
}

// BeforeKill asks the Node processes of the group where they are, the busiest
// first.
func (h *Hang) BeforeKill(pgid int) {
	ctx, cancel := context.WithTimeout(context.Background(), hangLimit)
	defer cancel()
	for _, p := range busiest(ctx, pgid) {
		if ctx.Err() != nil {
			return
		}
		if frames := h.ask(ctx, p); len(frames) > 0 {
			h.mu.Lock()
			h.frames = frames
			h.mu.Unlock()
			return
		}
	}
}

// process is a Node process that can be asked.
type process struct {
	pid int
	cpu uint64 // time used, in ticks of the system's own
}

// busiest lists the group's Node processes, those that use the processor
// first.
func busiest(ctx context.Context, pgid int) []process {
	first := processes(pgid)
	if len(first) < 2 {
		return first
	}
	wait(ctx, 60*time.Millisecond)
	used := map[int]uint64{}
	for _, p := range first {
		used[p.pid] = p.cpu
	}
	second := processes(pgid)
	for i := range second {
		second[i].cpu -= min(second[i].cpu, used[second[i].pid])
	}
	slices.SortStableFunc(second, func(a, b process) int { return cmp.Compare(b.cpu, a.cpu) })
	return second
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// ask starts a process's inspector and samples it and its threads.
func (h *Hang) ask(ctx context.Context, p process) []runner.Frame {
	ctx, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()
	if !startInspector(p.pid) {
		return nil
	}
	var port int
	for port = inspectorPort(ctx, p.pid); port == 0 && ctx.Err() == nil; port = inspectorPort(ctx, p.pid) {
		wait(ctx, 5*time.Millisecond)
	}
	if ctx.Err() != nil {
		return nil
	}
	cl, err := dial(ctx, port)
	if err != nil {
		return nil
	}
	defer cl.close()
	if s := h.sample(ctx, cl, ""); len(s) > 0 {
		return reduce(h.context, s)
	}
	for _, session := range cl.threads(ctx) {
		if s := h.sample(ctx, cl, session); len(s) > 0 {
			return reduce(h.context, s)
		}
	}
	return nil
}

// sample interrupts a thread a few times; each sample is the project's frames,
// innermost first.
func (h *Hang) sample(ctx context.Context, cl *client, session string) [][]runner.Frame {
	ctx, cancel := context.WithTimeout(ctx, threadLimit)
	defer cancel()
	var out [][]runner.Frame
	t := cl.thread(session)
	if cl.call(ctx, session, "Debugger.enable", nil) != nil {
		return nil
	}
	for range samplesTaken {
		calls := t.pause(ctx)
		if calls == nil {
			break
		}
		if frames := t.frames(h.context, calls); len(frames) > 0 {
			out = append(out, frames)
		}
		if cl.call(ctx, session, "Debugger.resume", nil) != nil {
			break
		}
		wait(ctx, sampleGap)
	}
	if ctx.Err() == nil {
		_ = cl.call(ctx, session, "Debugger.disable", nil)
	}
	return out
}

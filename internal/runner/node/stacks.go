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
// it finds nothing; it never takes much longer than four seconds.
//
// # Design
//
// A process in an endless loop cannot answer, but Node's inspector runs on a
// thread of its own and SIGUSR1 starts it at any time. The debugger then
// interrupts the loop, wherever its body happens to be. Stepping out of
// functions until one does not return finds the endless one; what several
// samples of it have in common is the loop.
type Hang struct {
	context Context

	mu     sync.Mutex // guards the fields below
	frames []runner.Frame
}

// The probe's limits. Nothing of it may hold up the kill for longer.
const (
	hangLimit    = 4500 * time.Millisecond
	processLimit = 4 * time.Second
	pauseLimit   = time.Second            // for a busy thread to stop, on a busy machine
	returnLimit  = 150 * time.Millisecond // for a function to return
	sampleGap    = 4 * time.Millisecond
	samplesTaken = 6
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
	if s := h.endless(ctx, cl, ""); len(s) > 0 {
		return reduce(h.context, s)
	}
	for _, session := range cl.threads(ctx) {
		if s := h.endless(ctx, cl, session); len(s) > 0 {
			return reduce(h.context, s)
		}
	}
	return nil
}

// endless finds the function of a thread that does not return, and samples it:
// each sample is the project's frames from that function outward.
func (h *Hang) endless(ctx context.Context, cl *client, session string) [][]runner.Frame {
	t := cl.thread(session)
	if cl.call(ctx, session, "Debugger.enable", nil) != nil {
		return nil
	}
	calls := t.stop(ctx, "Debugger.pause", pauseLimit)
	if calls == nil {
		_ = cl.call(ctx, session, "Debugger.disable", nil) // an idle thread is left as it was
		return nil
	}
	// A function that returns when it is stepped out of is not the endless one.
	last := t.frames(h.context, calls)
	for len(calls) > 0 {
		outer := t.stop(ctx, "Debugger.stepOut", returnLimit)
		if outer == nil {
			break
		}
		frames := t.frames(h.context, outer)
		if len(frames) == 0 {
			break // back in the framework: what the last frames say is all there is
		}
		calls, last = outer, frames
	}
	var out [][]runner.Frame
	for range samplesTaken {
		now := t.stop(ctx, "Debugger.pause", pauseLimit)
		if now == nil {
			break
		}
		if len(now) >= len(calls) {
			if frames := t.frames(h.context, now[len(now)-len(calls):]); len(frames) > 0 {
				out = append(out, frames)
			}
		}
		if cl.call(ctx, session, "Debugger.resume", nil) != nil {
			break
		}
		wait(ctx, sampleGap)
	}
	if len(out) == 0 && len(last) > 0 {
		out = append(out, last)
	}
	return out
}

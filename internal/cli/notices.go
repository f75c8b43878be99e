package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/daemon"
	"regreen/internal/notify"
)

// notices decides which verdicts are worth a notice on the desktop: the first
// red one, each repair, and each result that waits for a person.
type notices struct {
	name string // of the repository
	tell func(notify.Notice)

	mu  sync.Mutex // guards the fields below
	on  []string   // notify.on
	red bool       // the last verdict was
}

// newNotices starts what shows notices; stop ends it.
func (a *app) newNotices(r Repo) (n *notices, stop func()) {
	find := func(program string) (string, error) { return lookPath(a.environ, program) }
	desktop := notify.New(notify.Config{Show: notify.Desktop(find, a.environ), Log: r.Log})
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { desktop.Run(ctx) })
	n = &notices{name: filepath.Base(r.Root), tell: desktop.Tell}
	n.configure(r.Config)
	return n, func() { cancel(); group.Wait() }
}

// configure takes a configuration over.
func (n *notices) configure(c config.Config) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.on = c.Notify.On
}

// event hears the daemon's events. It returns at once.
func (n *notices) event(e daemon.Event) {
	if e.Kind != cycle.EventVerdict || e.Document == nil {
		return
	}
	if word, notice := n.notice(e.Document); word != "" {
		n.tell(notice)
	}
}

// notice is what a verdict is worth, and with which word of notify.on; "" for
// nothing.
func (n *notices) notice(d *cycle.Document) (word string, _ notify.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := n.red
	if d.Outcome != cycle.Cancelled && d.Outcome != cycle.Errored {
		n.red = d.Outcome == cycle.Failed
	}
	notice := notify.Notice{Title: "regreen: " + printable(n.name)}
	switch {
	case d.Outcome == cycle.Failed && !was:
		word = "red"
		notice.Title += " is red"
		notice.Body = count(len(d.Remaining), "failure")
		if len(d.Remaining) > 0 {
			first := d.Remaining[0]
			notice.Body += fmt.Sprintf(", first %s:%d: %s", first.File, first.Line, headline(first.Message, first.Symbol))
		}
	case len(d.Merged) > 0:
		word = "repaired"
		notice.Title += " is repaired"
		for _, f := range keptFixes(d) {
			notice.Body += oneLine(f.Title) + "\n"
		}
		notice.Body += "undo: regreen undo " + d.Undo
	case d.Outcome == cycle.Proposed:
		word = "decision"
		notice.Title += " has a proposal"
		notice.Body = oneLine(d.Reason) + "\napply: regreen apply"
	}
	if !slices.Contains(n.on, word) {
		return "", notify.Notice{}
	}
	notice.Body = cut(printable(notice.Body), maxNotice)
	return word, notice
}

// maxNotice is what a desktop has room for, in characters.
const maxNotice = 240

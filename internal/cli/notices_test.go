package cli

import (
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/daemon"
	"regreen/internal/notify"
)

func TestNotices(t *testing.T) {
	failed := &cycle.Document{Outcome: cycle.Failed, Remaining: []cycle.Remaining{{File: "src/a.ts", Line: 4, Message: "expected \x1b[31m1\x1b[0m"}}}
	repaired := &cycle.Document{Outcome: cycle.Repaired, Merged: []cycle.Merged{{File: "a"}}, Undo: "u1",
		Iterations: []cycle.Iteration{{Fixes: []cycle.Fix{{Title: "use a", Kept: true}}}}}
	proposed := &cycle.Document{Outcome: cycle.Proposed, Reason: strings.Repeat("vim holds it ", 50)}
	days := []*cycle.Document{{Outcome: cycle.Passed}, failed, {Outcome: cycle.Cancelled}, failed, {Outcome: cycle.Errored}, failed, repaired, failed, proposed}
	all := []string{"red", "repaired", "decision"}
	tests := []struct {
		name string
		on   []string
		want []string
	}{
		{"off", nil, nil},
		{"all", all, []string{"regreen: shop is red", "regreen: shop is repaired", "regreen: shop is red", "regreen: shop has a proposal"}},
		{"red", all[:1], []string{"regreen: shop is red", "regreen: shop is red"}},
		{"decision", all[2:], []string{"regreen: shop has a proposal"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var titles []string
			n := &notices{name: "shop", tell: func(x notify.Notice) {
				titles = append(titles, x.Title)
				if len([]rune(x.Body)) > maxNotice || strings.Contains(x.Body, "\x1b") || x.Body == "" {
					t.Errorf("body = %q", x.Body)
				}
			}}
			n.configure(config.Config{Notify: config.Notify{On: tt.on}})
			n.event(daemon.Event{Event: cycle.Event{Kind: cycle.EventTest}})
			for _, d := range days {
				n.event(daemon.Event{Event: cycle.Event{Kind: cycle.EventVerdict, Document: d}})
			}
			if !slices.Equal(titles, tt.want) {
				t.Errorf("notices = %q, want %q", titles, tt.want)
			}
		})
	}
}

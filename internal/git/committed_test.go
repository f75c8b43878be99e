package git

import "testing"

func TestCommitted(t *testing.T) {
	was := Guard{Branch: "refs/heads/main", Head: "a", Index: "i", Stash: "s 1"}
	with := func(edit func(*Guard)) Guard {
		g := was
		edit(&g)
		return g
	}
	tests := []struct {
		name string
		now  Guard
		want bool
	}{
		{"nothing", was, false},
		{"a commit", with(func(g *Guard) { g.Head = "b" }), true},
		{"a commit -a", with(func(g *Guard) { g.Head, g.Index = "b", "j" }), true},
		{"a commit that still holds its lock", with(func(g *Guard) { g.Head, g.Lock = "b", "index.lock" }), true},
		{"an add", with(func(g *Guard) { g.Index = "j" }), false},
		{"a checkout", with(func(g *Guard) { g.Head, g.Branch = "b", "refs/heads/other" }), false},
		{"a stash", with(func(g *Guard) { g.Head, g.Stash = "b", "t 2" }), false},
		{"a rebase that stopped", with(func(g *Guard) { g.Head, g.Operation = "b", "a rebase" }), false},
	}
	for _, tt := range tests {
		if got := was.Committed(tt.now); got != tt.want {
			t.Errorf("%s: Committed = %v, want %v", tt.name, got, tt.want)
		}
	}
}

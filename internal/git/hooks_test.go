package git_test

import (
	"testing"

	"regreen/internal/git"
	"regreen/internal/git/gittest"
)

func TestHooksPath(t *testing.T) {
	r := gittest.New(t)
	home := t.TempDir()
	for _, tt := range []struct{ set, want string }{{"", ""}, {".husky/_", ".husky/_"}, {"~/hooks", home + "/hooks"}, {"/a b/c", "/a b/c"}} {
		if tt.set != "" {
			r.Git("config", "core.hooksPath", tt.set)
		}
		repo, err := git.Open(t.Context(), r.Dir, append(gittest.Environ(), "HOME="+home))
		if err != nil {
			t.Fatal(err)
		}
		got, err := repo.HooksPath(t.Context())
		if err != nil || got != tt.want {
			t.Errorf("HooksPath = %q, %v, want %q", got, err, tt.want)
		}
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
}

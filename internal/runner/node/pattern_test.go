package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

func TestPatternPrefix(t *testing.T) {
	for pattern, want := range map[string]string{
		"^@/(.*)$": "@/*$", "^@lib$": "@lib$", "^src/(.+)": "src/*", `\.css$`: "", "^(a|b)/(.*)$": "", "^~(.*)": "~*", "[": "",
		"^.*$": "", `^~\/`: "~/", "^a(.*)$": "a*$",
	} {
		lit, rest, whole, ok := PatternPrefix(pattern)
		if rest {
			lit += "*"
		}
		if whole {
			lit += "$"
		}
		if !ok {
			lit = ""
		}
		if lit != want {
			t.Errorf("PatternPrefix(%q) = %q, want %q", pattern, lit, want)
		}
	}
}

func TestPattern(t *testing.T) {
	for js, want := range map[string]string{`^~\/(.*)$`: "^~/(.*)$", `\.svg$`: `\.svg$`, `^(?<name>\w+)$`: `^(?<name>\w+)$`, "^(?!x)": "", `(a)\1`: ""} {
		got, err := Pattern(js)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("Pattern(%q) = %q, %v, want %q", js, got, err, want)
		}
	}
}

func TestGroups(t *testing.T) {
	for js, want := range map[string]string{"src/$1/$2.ts": "src/${1}/${2}.ts", "$1": "${1}", "a$&b": "a${0}b", "a$$b$": "a$$b$$", "src": "src"} {
		if got := Groups(js); got != want {
			t.Errorf("Groups(%q) = %q, want %q", js, got, want)
		}
	}
}

func TestFolder(t *testing.T) {
	c := Context{Root: "/r/w", Origin: "/home/u/w"}
	for abs, want := range map[string]string{"/r/w": ".", "/r/w/": ".", "/r/w/packages/$1/src": "packages/$1/src", "/home/u/w/a": "a", "/r/x": "", "/r/w/node_modules/a": ""} {
		if got, ok := Folder(c, abs); ok != (want != "") || ok && got != want {
			t.Errorf("Folder(%q) = %q, %v, want %q", abs, got, ok, want)
		}
	}
	for abs, want := range map[string]string{"/r/w/node_modules/@a/b/c": "@a/b/c", "/n/node_modules/x/node_modules/y": "y", "/r/w/src": ""} {
		if got, ok := Installed(abs); got != want || ok != (want != "") {
			t.Errorf("Installed(%q) = %q, %v, want %q", abs, got, ok, want)
		}
	}
}

func TestNodePath(t *testing.T) {
	got := NodePath(Context{Root: "/r", Project: "web"}, runner.Project{Root: "web", Env: map[string]string{"NODE_PATH": "src:/r/lib:/usr/lib"}})
	want := []lang.Alias{{Scope: "web", Find: "*", Targets: []string{"web/src/*"}}, {Scope: "web", Find: "*", Targets: []string{"lib/*"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

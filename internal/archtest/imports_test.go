package archtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers are the floors of the house from top to bottom. A package imports
// from floors below its own, and within its floor only what sameFloor lists.
func layers() [][]string {
	return [][]string{
		{"."},
		{"internal/cli"},
		{"internal/daemon"},
		{"internal/engine"},
		{"cycle"},
		{"watch", "affected", "fixers", "internal/sandbox"},
		{"internal/runner", "internal/lang", "internal/lock", "internal/git", "internal/config", "internal/history", "internal/jail", "internal/secret",
			"internal/editor", "internal/githook", "internal/service", "internal/notify"},
		{"internal/proc", "internal/lazyregexp", "internal/dirstat", "internal/plain"},
	}
}

// sameFloor are the imports that a floor's packages may have of each other: a
// framework reads test files in its language, and projects can be set by hand.
func sameFloor() map[string][]string {
	return map[string][]string{"internal/runner": {"internal/lang", "internal/config"}}
}

// apart are packages that hold tests and tools, outside the house.
func apart() []string {
	return []string{"internal/archtest", "internal/e2e", "internal/testcount", "bench/watch", "bench/graph", "bench/react", "bench/soak", "bench/truth", "bench/parity", "bench/sandbox", "bench/merge", "bench/repair", "bench/internal/jsonlines"}
}

// room is the layer entry that a package belongs to: its longest prefix.
func room(pkg string) (floor int, name string) {
	floor = -1
	for i, l := range layers() {
		for _, r := range l {
			if (pkg == r || r != "." && strings.HasPrefix(pkg, r+"/")) && len(r) > len(name) {
				floor, name = i, r
			}
		}
	}
	return floor, name
}

func TestImportsGoDown(t *testing.T) {
	for _, line := range goList(t, "./...") {
		pkg, imports, _ := strings.Cut(line, " ")
		pkg = inModule(pkg)
		if slices.Contains(apart(), pkg) {
			continue
		}
		floor, name := room(pkg)
		if floor < 0 {
			t.Errorf("%s has no floor: add it to layers and to ARCHITECTURE.md", pkg)
			continue
		}
		for _, imp := range strings.Fields(imports) {
			if imp != "regreen" && !strings.HasPrefix(imp, "regreen/") {
				continue
			}
			below, other := room(inModule(imp))
			switch {
			case other == name || below > floor:
			case below == floor && slices.Contains(sameFloor()[name], other):
			default:
				t.Errorf("%s imports %s, which is not below it", pkg, inModule(imp))
			}
		}
	}
}

// TestFrameworksStandAlone holds that a framework or language is one folder:
// its neighbours do not know it, except through what they share.
func TestFrameworksStandAlone(t *testing.T) {
	for _, parent := range []string{"internal/runner", "internal/lang"} {
		frameworks := []string{"jest", "vitest", "mocha", "pytest", "js", "py"}
		for _, line := range goList(t, "./"+parent+"/...") {
			pkg, imports, _ := strings.Cut(line, " ")
			for _, imp := range strings.Fields(imports) {
				rest, below := strings.CutPrefix(inModule(imp), parent+"/")
				if !below || !slices.Contains(frameworks, rest) || strings.HasPrefix(pkg, imp) {
					continue
				}
				t.Errorf("%s imports %s: frameworks and languages do not know each other", inModule(pkg), inModule(imp))
			}
		}
	}
}

// goList gives a line for each package: its path and what it imports.
func goList(t *testing.T, pattern string) []string {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, pattern)
	cmd.Dir, cmd.Stderr = "../..", &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func inModule(pkg string) string {
	if pkg == "regreen" {
		return "."
	}
	return strings.TrimPrefix(pkg, "regreen/")
}

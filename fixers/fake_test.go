package fixers

import (
	"fmt"
	"os/exec"
	"path"
	"sort"
	"strings"
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// memory is a workspace of two maps: the base revision and the present tree.
type memory struct {
	base, now map[string]string
	renames   []Rename
	langs     lang.Set
	resolvers map[string]lang.Resolver
}

// newMemory finds renames as git does: equal content, else half of the lines.
func newMemory(langs lang.Set, base, now map[string]string) *memory {
	m := &memory{base: base, now: now, langs: langs, resolvers: map[string]lang.Resolver{}}
	used := map[string]bool{}
	for _, least := range []float64{1, 0.5} {
		for _, from := range sortedKeys(base) {
			if _, ok := now[from]; ok || used[from] {
				continue
			}
			best, sim := "", 0.0
			for _, to := range sortedKeys(now) {
				if _, ok := base[to]; ok || used[to] || path.Ext(from) != path.Ext(to) {
					continue
				}
				if s := similar(base[from], now[to]); s >= least && s > sim {
					best, sim = to, s
				}
			}
			if best != "" {
				used[from], used[best] = true, true
				m.renames = append(m.renames, Rename{from, best})
			}
		}
	}
	sort.Slice(m.renames, func(i, j int) bool { return m.renames[i].From < m.renames[j].From })
	return m
}

func similar(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	return 1 - float64(editDistance(diffStrings(x, y)))/float64(len(x)+len(y))
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (m *memory) ReadFile(rel string) ([]byte, error) {
	if s, ok := m.now[rel]; ok {
		return []byte(s), nil
	}
	return nil, fmt.Errorf("%s is not there", rel)
}

func (m *memory) Exists(rel string) bool { _, ok := m.now[rel]; return ok }

func (m *memory) IsDir(rel string) bool {
	for f := range m.now {
		if rel == "." || strings.HasPrefix(f, rel+"/") {
			return true
		}
	}
	return false
}

func (m *memory) Files() []string {
	var out []string
	for _, f := range sortedKeys(m.now) {
		if !strings.Contains("/"+f, "/node_modules/") {
			out = append(out, f)
		}
	}
	return out
}

func (m *memory) Base(rel string) ([]byte, bool) { s, ok := m.base[rel]; return []byte(s), ok }

func (m *memory) BaseFiles() []string { return sortedKeys(m.base) }

func (m *memory) Renames() []Rename { return m.renames }

func (m *memory) Changed() []string {
	set := map[string]string{}
	for f, s := range m.now {
		if b, ok := m.base[f]; !ok || b != s {
			set[f] = ""
		}
	}
	for f := range m.base {
		if _, ok := m.now[f]; !ok {
			set[f] = ""
		}
	}
	return sortedKeys(set)
}

func (m *memory) Languages() lang.Set { return m.langs }

func (m *memory) Resolver(l lang.Language) lang.Resolver {
	if m.resolvers[l.Name()] == nil {
		m.resolvers[l.Name()] = l.NewResolver(m)
	}
	return m.resolvers[l.Name()]
}

func (m *memory) IsTest(rel string) bool {
	name := path.Base(rel)
	return strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") || strings.HasPrefix(name, "test_") && strings.HasSuffix(name, ".py")
}

// languages are the real ones; Python's judge is the interpreter on PATH.
func languages(tb testing.TB) lang.Set {
	tb.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		tb.Fatal("python3 is not on PATH: install Python 3 to test the Python fixers")
	}
	p := py.New(python)
	tb.Cleanup(func() { _ = p.Close() })
	return lang.Set{js.Language{}, p}
}

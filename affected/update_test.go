package affected

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// randomText says what a file uses, from a small set of names.
func randomText(r *rand.Rand) string {
	text := ""
	for range r.IntN(4) {
		word := []string{"use", "use", "use", "mock", "types", "wide", "data"}[r.IntN(7)]
		name := fmt.Sprintf("./s/f%d", r.IntN(12))
		if r.IntN(4) == 0 {
			name = name[2:]
		}
		switch word {
		case "wide":
			name = []string{"s/f1", "p/", ""}[r.IntN(3)]
		case "data":
			name = []string{"d.json", "f/", "s/f3.x"}[r.IntN(3)]
		}
		text += word + " " + name + "\n"
	}
	return text
}

// TestUpdate holds that a graph that is kept selects what a new one would.
func TestUpdate(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		tree := mem{"s/d.json": "", "t/f/x.json": "", "p/a.x": "", "setup.x": "use s/f0", "fw.config.js": ""}
		for n := range 10 {
			tree[fmt.Sprintf("s/f%d.x", n)] = randomText(r)
			tree[fmt.Sprintf("t/t%d_test.x", n)] = randomText(r)
		}
		base := maps.Clone(tree)
		project := project(".", "*_test.x", "setup.x")
		project.Implicit = func(string) []string { return []string{"t/common.x"} }
		input := func() Input {
			in := Input{Tree: tree, Languages: lang.Set{fake{}}, Projects: []Project{project}, BaseFiles: base.Files(),
				Base: func(f string) ([]byte, bool) { s, ok := base[f]; return []byte(s), ok }}
			for f, s := range tree {
				if old, ok := base[f]; !ok || old != s {
					in.Changes = append(in.Changes, Change{Path: f})
				}
			}
			for f := range base {
				if _, ok := tree[f]; !ok {
					in.Changes = append(in.Changes, Change{Path: f, Deleted: true})
				}
			}
			return in
		}
		g, err := Build(t.Context(), input())
		if err != nil {
			t.Fatal(err)
		}
		for step := range 12 {
			var saved []string
			for range 1 + r.IntN(2) {
				f := fmt.Sprintf("s/f%d.x", r.IntN(12))
				switch r.IntN(6) {
				case 0:
					f = fmt.Sprintf("s/f%d/main.x", r.IntN(12))
				case 1, 2:
					f = []string{"t/t1_test.x", "t/t12_test.x", "setup.x", "t/common.x", "s/d.json", "p/b.x"}[r.IntN(6)]
				}
				saved = append(saved, f)
				if _, ok := tree[f]; ok && r.IntN(6) == 0 {
					delete(tree, f)
				} else {
					tree[f] = randomText(r)
				}
			}
			got, err := g.Update(t.Context(), input(), saved)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Select(t.Context(), input())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
				t.Fatalf("seed %d, step %d, saved %v (-new +kept):\n%s", seed, step, saved, diff)
			}
		}
	}
}

// TestUpdateResolvesLittle holds that a file that comes or goes has no more
// imports resolved anew than those that may lead to it.
func TestUpdateResolvesLittle(t *testing.T) {
	asked := 0
	t.Run("relative", func(t *testing.T) { resolvesLittle(t, "./", countedLanguage{asked: &asked}, &asked) })
	t.Run("rooted", func(t *testing.T) { resolvesLittle(t, "", rootedLanguage{countedLanguage{asked: &asked}}, &asked) })
}

func resolvesLittle(t *testing.T, before string, language lang.Language, asked *int) {
	tree := mem{"s/a.x": "", "s/z.x": "", "t/z_test.x": "use " + before + "s/z"}
	for n := range 20 {
		tree[fmt.Sprintf("t/t%d_test.x", n)] = "use " + before + "s/a"
	}
	base := maps.Clone(tree)
	input := func(changes ...Change) Input {
		return Input{Tree: tree, Languages: lang.Set{language}, Projects: []Project{project(".", "*_test.x")}, BaseFiles: base.Files(), Changes: changes}
	}
	g, err := Build(t.Context(), input())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name, file string
		deleted    bool
		imports    int // of others that may lead there, resolved in this tree and the one before
		want       []string
	}{
		{"deleted", "s/z.x", true, 2, []string{"t/z_test.x"}},
		{"came again", "s/z.x", false, 1, []string{"t/z_test.x"}},
		{"new", "s/new.x", false, 0, nil},
		{"gone again", "s/new.x", true, 0, nil},
		{"test deleted", "t/t7_test.x", true, 0, nil},
	} {
		if step.deleted {
			delete(tree, step.file)
		} else {
			tree[step.file] = ""
		}
		*asked = 0
		got, err := g.Update(t.Context(), input(Change{Path: step.file, Deleted: step.deleted}), []string{step.file})
		if err != nil {
			t.Fatal(err)
		}
		if *asked > step.imports {
			t.Errorf("%s: %d imports were resolved, want %d", step.name, *asked, step.imports)
		}
		*asked = 0
		want, err := Select(t.Context(), input(Change{Path: step.file, Deleted: step.deleted}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Tests, got.Tests); diff != "" {
			t.Errorf("%s (-new +kept):\n%s", step.name, diff)
		}
		if step.want != nil {
			if diff := cmp.Diff(step.want, picked(got)); diff != "" {
				t.Errorf("%s:\n%s", step.name, diff)
			}
		}
	}
}

// countedLanguage counts the imports that are resolved.
type countedLanguage struct {
	fake
	asked *int
}

func (c countedLanguage) NewResolver(t lang.Tree) lang.Resolver {
	return countedResolver{fakeResolver{t}, c.asked}
}

// rootedLanguage is one whose imports lead to paths of their own words.
type rootedLanguage struct{ countedLanguage }

func (rootedLanguage) Roots(string) bool { return false }

type countedResolver struct {
	fakeResolver
	asked *int
}

func (c countedResolver) Resolve(from string, imp lang.Import) lang.Resolution {
	*c.asked++
	return c.fakeResolver.Resolve(from, imp)
}

// plain is what of a set does not depend on the order in which edges were found.
func plain(s *Set) any {
	type test struct {
		File     string
		Distance int
	}
	var tests []test
	for _, x := range s.Tests {
		tests = append(tests, test{x.File, x.Distance})
	}
	return []any{tests, s.Modified, s.Unreached, s.All}
}

func TestScans(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scans")
	tree := parse(append(basic, "t/w_test.x: wide s/; data d.json; mock s/a")...)
	read := 0
	in := Input{Tree: counted{tree, &read}, Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")}, Changes: change("M s/c.x"),
		Sum: func(f string) (string, bool) { return tree[f], true }}
	sel := func(version string) (*Set, int) {
		read = 0
		in.Scans = OpenScans(file, version)
		s, err := Select(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if fresh := in.Scans.Fresh(); (fresh > 0) != (read > 0) {
			t.Errorf("%d scans are fresh after %d files were read", fresh, read)
		}
		if err := in.Scans.Save(); err != nil {
			t.Fatal(err)
		}
		if fresh := in.Scans.Fresh(); fresh != 0 {
			t.Errorf("%d scans are fresh after all were saved", fresh)
		}
		return s, read
	}
	want, cold := sel("1")
	got, warm := sel("1")
	if cold == 0 || warm != 0 {
		t.Errorf("%d files were read at first and %d later, want some and none", cold, warm)
	}
	if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
		t.Error(diff)
	}
	tree["s/a.x"] = "use s/none"
	if s, again := sel("1"); again != 1 || len(s.Tests) != 2 {
		t.Errorf("%d files were read after one changed; selected %v", again, picked(s))
	}
	_, all := sel("2")
	if all < cold {
		t.Errorf("another version read %d files, want all", all)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 1 + len(whole)/50 {
		bad := append([]byte(nil), whole...)
		bad[n] ^= 0x55
		for _, text := range [][]byte{bad, whole[:n]} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if s, again := sel("2"); again != all || len(s.Tests) != 2 {
				t.Fatalf("a broken file was believed: %d files read, selected %v", again, picked(s))
			}
		}
	}
}

// counted counts the files that are read.
type counted struct {
	mem
	n *int
}

func (c counted) ReadFile(rel string) ([]byte, error) {
	if filepath.Ext(rel) == ".x" {
		*c.n++
	}
	return c.mem.ReadFile(rel)
}

func FuzzScans(f *testing.F) {
	s := scanned{imports: []imported{{kind: lang.From, line: 3, spec: "a", names: []string{"b", "*"}}}, data: []string{"x"}}
	f.Add(s.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		var s, again scanned
		if s.decode(b) && (!again.decode(s.encode()) || !s.same(&again)) {
			t.Errorf("%v is not read back: %v", s, again)
		}
		_, _ = readScans(b, "")
	})
}

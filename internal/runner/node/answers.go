package node

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lazyregexp"
	"regreen/internal/plain"
	"regreen/internal/runner"
)

// Remember gives the answer to a question about a project's configuration. To
// ask costs a start of node and of the framework, so answers are kept in
// env.Keep. One holds while all that it can come from is the same: the question, the project, the environment, the names of all
// files, the lock files and installed packages, and the bytes of every file
// that configures (those beside a package.json, those with such names, and
// what they import). What env has no folder for is always asked.
func Remember(env runner.Env, p runner.Project, question []string, ask func() ([]byte, error)) ([]byte, error) {
	if env.Keep == "" {
		return ask()
	}
	key, err := fingerprint(env, p, question)
	if err != nil {
		return ask()
	}
	file := filepath.Join(env.Keep, "answer-"+key+".json")
	if answer, err := plain.ReadFile(file); err == nil {
		return answer, nil
	}
	answer, err := ask()
	if err != nil {
		return nil, err
	}
	// What cannot be kept is asked again.
	if os.MkdirAll(env.Keep, 0o700) == nil && os.WriteFile(file+".new", answer, 0o600) == nil {
		_ = os.Rename(file+".new", file)
		forget(env.Keep)
	}
	return answer, nil
}

// maxAnswers bounds the answers that are kept of one repository.
const maxAnswers = 64

// forget removes the oldest answers.
func forget(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxAnswers {
		return
	}
	age := func(e fs.DirEntry) int64 {
		fi, err := e.Info()
		if err != nil {
			return 0
		}
		return fi.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, e := range entries[:len(entries)-maxAnswers] {
		_ = os.Remove(filepath.Join(dir, e.Name()))
	}
}

// configures are names of files that say how tests are run, wherever they lie.
var configures = lazyregexp.New(`(?i)config|preset|workspace|setup|^\..*rc(\.\w+)?$|^(jest|vitest|vite|mocha|babel|swc|package\.json)|^\.env`)

// configureWords are what a name of plain letters holds, in lower case, if it has
// no dot in front and configures matches it.
var configureWords = []string{"config", "preset", "workspace", "setup", "jest", "vite", "mocha", "babel", "swc", "package.json"}

// isConfiguring is what configures says of a name. The words are looked for first:
// the expression took 17 ms of CPU at each save in a repository of 10,000 files.
func isConfiguring(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return configures.MatchString(name) // letters that fold to others
		}
	}
	lower := strings.ToLower(name)
	holds := func(word string) bool { return strings.Contains(lower, word) }
	return (strings.HasPrefix(name, ".") || slices.ContainsFunc(configureWords, holds)) && configures.MatchString(name)
}

// maxConfiguring bounds what is read of one file; of a larger one the size and
// time count.
const maxConfiguring = 512 << 10

// fingerprint is a hash of all that a project's configuration can come from.
func fingerprint(env runner.Env, p runner.Project, question []string) (string, error) {
	h := sha256.New()
	put := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
		h.Write([]byte{0})
	}
	put(question...)
	put(p.Framework, p.Version, p.Root, env.Root, env.Origin)
	put(p.Command...)
	put(p.Args...)
	for _, k := range slices.Sorted(maps.Keys(p.Env)) {
		put(k, p.Env[k])
	}
	for _, kv := range slices.Sorted(slices.Values(env.Environ)) {
		if k, _, _ := strings.Cut(kv, "="); !slices.Contains([]string{"TMPDIR", "TMP", "TEMP"}, k) {
			put(kv)
		}
	}
	t, err := countTree(env.OnDisk())
	if err != nil {
		return "", err
	}
	put(t.names...)
	for _, dir := range slices.Sorted(maps.Keys(t.packages)) {
		markInstalled(put, filepath.Join(env.Origin, filepath.FromSlash(dir), "node_modules"))
	}
	for _, rel := range t.configuring(p) {
		put(rel)
		digest(h, filepath.Join(t.root, filepath.FromSlash(rel)))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// markInstalled adds what changes with an installation.
func markInstalled(put func(...string), modules string) {
	for _, mark := range []string{"", ".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml"} {
		if fi, err := os.Stat(filepath.Join(modules, mark)); err == nil {
			put(mark, fi.ModTime().String(), fmt.Sprint(fi.Size()))
		}
	}
}

func digest(h hash.Hash, abs string) {
	fi, err := os.Stat(abs)
	switch {
	case err != nil:
		return
	case fi.Size() > maxConfiguring:
		fmt.Fprint(h, fi.Size(), fi.ModTime().UnixNano())
		return
	}
	src, err := plain.ReadFile(abs)
	if err == nil {
		sum := sha256.Sum256(src)
		h.Write(sum[:])
	}
}

// census is the names of a working tree without its packages.
type census struct {
	root     string
	names    []string // rel, sorted
	packages map[string]bool
}

func countTree(root string) (*census, error) {
	t := &census{root: root, packages: map[string]bool{}}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		t.names = append(t.names, rel)
		if d.Name() == "package.json" {
			t.packages[path.Dir(rel)] = true
		}
		return nil
	})
	slices.Sort(t.names)
	return t, err
}

// configuring are the files whose bytes count, sorted.
func (t *census) configuring(p runner.Project) []string {
	in := map[string]bool{}
	var queue []string
	folders := map[string]bool{} // whether all in it counts
	for _, rel := range t.names {
		dir, base := path.Split(rel)
		whole, known := folders[dir]
		if !known {
			clean := path.Clean(dir)
			whole = clean == "." || clean == p.Root || t.packages[clean] || isConfiguring(path.Base(clean))
			folders[dir] = whole
		}
		named := isConfiguring(base)
		if named || whole {
			in[rel] = true
			if named {
				queue = append(queue, rel)
			}
		}
	}
	for _, a := range p.Args { // --config test/unit.js
		if _, v, ok := strings.Cut(a, "="); ok {
			a = v
		}
		if rel := path.Join(p.Root, filepath.ToSlash(a)); t.has(rel) {
			in[rel] = true
			queue = append(queue, rel)
		}
	}
	seen := map[string]bool{}
	for len(queue) > 0 {
		rel := queue[0]
		queue = queue[1:]
		if seen[rel] {
			continue
		}
		seen[rel] = true
		for _, dep := range t.imports(rel) {
			in[dep] = true
			queue = append(queue, dep)
		}
	}
	return slices.Sorted(maps.Keys(in))
}

func (t *census) has(rel string) bool {
	_, ok := slices.BinarySearch(t.names, rel)
	return ok
}

// imports are the files of the tree that a script imports by a relative path.
func (t *census) imports(rel string) []string {
	switch path.Ext(rel) {
	case ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts":
	default:
		return nil
	}
	src, err := plain.ReadFile(filepath.Join(t.root, filepath.FromSlash(rel)))
	if err != nil || len(src) > maxConfiguring {
		return nil
	}
	f := js.Language{}.Scan(rel, src)
	if f == nil {
		return nil
	}
	var out []string
	for _, imp := range f.Imports {
		if imp.Kind == lang.Asset || !strings.HasPrefix(imp.Specifier, ".") {
			continue
		}
		base := path.Join(path.Dir(rel), imp.Specifier)
		bare := strings.TrimSuffix(base, path.Ext(base))
		for _, c := range []string{base, base + ".js", base + ".ts", base + ".mjs", base + ".cjs", base + ".mts", base + ".cts", base + ".json",
			bare + ".ts", bare + ".mts", bare + ".cts", base + "/index.js", base + "/index.ts", base + "/index.mjs", base + "/index.cjs"} {
			if t.has(c) {
				out = append(out, c)
			}
		}
	}
	return out
}

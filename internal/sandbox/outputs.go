package sandbox

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// What a build wrote, generated sources and data are ignored by git and read
// by tests all the same: without them a test is red here that is green in the
// user's tree. They are copied whole, a file or folder at a time, the smaller
// ones first, as far as the caps reach. They are never merged back.
const (
	maxOutput      = 64 << 20 // bytes of one ignored file or folder
	maxOutputFiles = 20_000   // files of one ignored folder
)

// noInputs are ignored folders that tools keep for themselves: packages (the
// farm has them), caches, reports, editors' state.
var noInputs = []string{"node_modules", "bower_components", "__pycache__", ".cache", ".turbo", ".nx", ".next", ".nuxt", ".parcel-cache",
	".vite", ".vite-temp", ".vitest", ".jest-cache", ".rpt2_cache", ".rollup.cache", ".nyc_output", "coverage", "htmlcov",
	".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".eggs", ".ipynb_checkpoints",
	".yarn", ".pnpm-store", ".npm", ".gradle", ".terraform", ".idea", ".vscode", ".vs", ".fleet", ".history",
	".git", ".hg", ".svn", ".jj", ".sl", ".direnv", ".devenv"}

// noInputFiles are patterns of ignored files of the same kinds.
var noInputFiles = []string{"*.log", "*.pid", "*.sock", "*.swp", "*~", "*.pyc", "*.tsbuildinfo", ".DS_Store", "Thumbs.db",
	".eslintcache", ".stylelintcache", ".coverage", ".coverage.*", "lcov.info", "*.lcov", ".git"}

// output is one ignored file or folder beside files of the snapshot.
type output struct {
	rel   string
	bytes int64
	files []carriedFile
}

// findOutputs lists the ignored inputs that nobody named, among what is in the
// snapshot's folders and not of the snapshot.
func (s *Sandbox) findOutputs(snap *Snapshot, foreign map[string][]fs.DirEntry, add func(carriedFile)) {
	dirs := map[string]bool{}
	list := snapDirs(snap)
	for _, d := range list {
		dirs[d] = true
	}
	var outs []output
	for _, dir := range list {
		if hasPart(dir, "node_modules") {
			continue
		}
		for _, e := range foreign[dir] {
			rel := path.Join(dir, e.Name())
			if dirs[rel] {
				continue
			}
			o, ok := s.output(rel, e)
			if ok && len(o.files) > 0 {
				outs = append(outs, o)
			}
		}
	}
	slices.SortStableFunc(outs, func(a, b output) int { return int(a.bytes - b.bytes) })
	var total int64
	for _, o := range outs {
		if total += o.bytes; total > maxCarried {
			s.log.Debug("an ignored input is left out", "file", o.rel, "bytes", o.bytes)
			continue
		}
		for _, f := range o.files {
			add(f)
		}
	}
}

// output reads what one ignored entry holds; ok is false for what is no input,
// or too large to be copied whole.
func (s *Sandbox) output(rel string, e fs.DirEntry) (o output, ok bool) {
	o = output{rel: rel}
	if !e.IsDir() {
		fi, err := e.Info()
		if err != nil || !fi.Mode().IsRegular() || matches(noInputFiles, e.Name()) || fi.Size() > maxOutput {
			return o, false
		}
		return output{rel, fi.Size(), []carriedFile{{rel, fi}}}, true
	}
	ok = true
	_ = filepath.WalkDir(filepath.Join(s.repo.Root(), filepath.FromSlash(rel)), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // what cannot be read is no input
			return nil
		case d.IsDir():
			if slices.Contains(noInputs, d.Name()) || apart(p) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || matches(noInputFiles, d.Name()):
			return nil
		}
		fi, err := d.Info()
		sub, rerr := filepath.Rel(s.repo.Root(), p)
		if err != nil || rerr != nil {
			return nil
		}
		o.bytes += fi.Size()
		o.files = append(o.files, carriedFile{filepath.ToSlash(sub), fi})
		if o.bytes > maxOutput || len(o.files) > maxOutputFiles {
			s.log.Debug("an ignored folder is too large to be copied", "file", rel)
			ok = false
			return fs.SkipAll
		}
		return nil
	})
	return o, ok
}

// apart tells folders that are a world of their own: another repository or
// working tree, a virtual environment.
func apart(abs string) bool {
	for _, mark := range []string{".git", "pyvenv.cfg", "conda-meta"} {
		if _, err := os.Lstat(filepath.Join(abs, mark)); err == nil {
			return true
		}
	}
	return false
}

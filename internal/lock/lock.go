// Package lock reads what is installed: the lock files and manifests of npm,
// pnpm, yarn, bun, pip, poetry, pdm, pipenv and uv.
//
// Its invariant: two files that install the same packages compare equal,
// whatever their white space and order, and where a difference might be one,
// it is one. It reads texts only, never a registry or an installation.
package lock

import (
	"errors"
	"path"
	"slices"
	"sort"
	"strings"
)

// ErrUnknown is for a file that is no lock file known here.
var ErrUnknown = errors.New("not a known lock file")

// File is what one lock file says.
type File struct {
	// Language is the name of the language whose packages these are: js or py.
	Language string
	Packages map[string]*Package
	// Flat says that the file does not tell which package needs which.
	Flat bool
}

// Package is one package, all its versions together.
type Package struct {
	// Versions tell where which version with what content is installed; they
	// are for comparing only.
	Versions []string
	Needs    []string // names
	// Local is one of the repository's own packages, or its root.
	Local bool
}

// Known tells whether a file is a lock file that Parse reads.
func Known(file string) bool { return parser(file) != nil }

// parser gives the reader of a file of that name, nil for none.
func parser(file string) func(src []byte) (*File, error) {
	switch base := path.Base(file); base {
	case "package-lock.json", "npm-shrinkwrap.json":
		return npm
	case "pnpm-lock.yaml":
		return pnpm
	case "yarn.lock":
		return yarn
	case "bun.lock":
		return bun
	case "poetry.lock", "uv.lock", "pdm.lock":
		return tomlLock
	case "Pipfile.lock":
		return pipenv
	default:
		if isRequirements(file) {
			return requirements
		}
	}
	return nil
}

// isRequirements knows requirements.txt, requirements-dev.txt, dev-requirements.txt,
// constraints.txt and requirements/dev.txt.
func isRequirements(file string) bool {
	base := path.Base(file)
	if path.Ext(base) != ".txt" {
		return false
	}
	return strings.Contains(base, "requirements") || strings.HasPrefix(base, "constraints") || path.Base(path.Dir(file)) == "requirements"
}

// Parse reads a lock file; its kind is told by its name. A text that is not
// wholly understood is an error.
func Parse(file string, src []byte) (*File, error) {
	parse := parser(file)
	if parse == nil {
		return nil, ErrUnknown
	}
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	for _, p := range f.Packages {
		sort.Strings(p.Versions)
		sort.Strings(p.Needs)
		p.Needs = slices.Compact(p.Needs)
	}
	return f, nil
}

// Diff names the packages that differ, sorted. A nil file has none.
func Diff(before, after *File) []string {
	var out []string
	for name, a := range packages(before) {
		b := packages(after)[name]
		if b == nil && !a.Local || b != nil && !b.Local && !slices.Equal(a.Versions, b.Versions) {
			out = append(out, name)
		}
	}
	for name, b := range packages(after) {
		if packages(before)[name] == nil && !b.Local {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

func packages(f *File) map[string]*Package {
	if f == nil {
		return nil
	}
	return f.Packages
}

// Dependents maps each package to those that need it, the local ones left out.
func Dependents(files ...*File) map[string][]string {
	out := map[string][]string{}
	for _, f := range files {
		for name, p := range packages(f) {
			if p.Local {
				continue
			}
			for _, n := range p.Needs {
				if !slices.Contains(out[n], name) {
					out[n] = append(out[n], name)
				}
			}
		}
	}
	for _, l := range out {
		sort.Strings(l)
	}
	return out
}

func newFile(language string) *File {
	return &File{Language: language, Packages: map[string]*Package{}}
}

// add notes one installed version of a package.
func (f *File) add(name, version string, needs ...string) *Package {
	p := f.Packages[name]
	if p == nil {
		p = &Package{}
		f.Packages[name] = p
	}
	p.Versions = append(p.Versions, version)
	p.Needs = append(p.Needs, needs...)
	return p
}

func keys[V any](maps ...map[string]V) []string {
	var out []string
	for _, m := range maps {
		for k := range m {
			out = append(out, k)
		}
	}
	return out
}

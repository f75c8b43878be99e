package affected

import (
	"context"
	"path"
	"runtime"
	"slices"
	"unique"

	"golang.org/x/sync/errgroup"

	"regreen/internal/lang"
)

// scanned is what one file says, as little of it as the graph needs: a
// repository has many files, and a text must not be kept alive by its parts.
type scanned struct {
	name     string
	language int
	imports  []imported
	data     []string // paths that it reads
	tooLarge bool
	words    wordSet // of all it names
}

// imported is one import of a file.
type imported struct {
	kind lang.ImportKind
	line int
	spec string
	// names are those of a from-import, whose resolution depends on them; the
	// star of a star import is "*", that of an import as a whole is left out.
	names []string
	// erased: it is gone when the file runs.
	erased bool
	// mapped: it was seen to lead to the repository's own files though it does
	// not say so by a relative path.
	mapped bool
}

// language gives the import back, as far as a resolver looks at it.
func (i imported) language() lang.Import {
	imp := lang.Import{Kind: i.kind, Specifier: i.spec, Line: i.line, Erased: i.erased}
	for _, n := range i.names {
		imp.Names = append(imp.Names, lang.Name{Imported: n, Local: n})
	}
	return imp
}

func (s *scanned) same(t *scanned) bool {
	return s.tooLarge == t.tooLarge && slices.Equal(s.data, t.data) && slices.EqualFunc(s.imports, t.imports, func(a, b imported) bool {
		// The line is told where an import is computed.
		return a.kind == b.kind && a.erased == b.erased && a.spec == b.spec && slices.Equal(a.names, b.names) && (a.line == b.line || a.kind != lang.Wide)
	})
}

func intern(s string) string { return unique.Make(s).Value() }

// compact keeps of a scan what the graph needs.
func (s *scanned) compact(f *lang.File) {
	if len(f.Imports) > 0 {
		s.imports = make([]imported, 0, len(f.Imports))
	}
	for _, imp := range f.Imports {
		i := imported{kind: imp.Kind, line: imp.Line, spec: intern(imp.Specifier), erased: imp.Erased}
		if imp.Kind == lang.From {
			for _, n := range imp.Names {
				if n.Imported != "*" || n.Local == "*" {
					i.names = append(i.names, intern(n.Imported))
				}
			}
		}
		s.imports = append(s.imports, i)
	}
	for _, p := range f.DataPaths {
		s.data = append(s.data, intern(p))
	}
}

// scan reads the files that a language owns; nil for the others.
func (g *Graph) scan(ctx context.Context, files []string) ([]*scanned, error) {
	out := make([]*scanned, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 64
	for from := 0; from < len(files); from += chunk {
		group.Go(func() error {
			for i := from; i < min(from+chunk, len(files)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				out[i] = g.scanFile(files[i])
			}
			return nil
		})
	}
	return out, group.Wait()
}

// scanFile reads a file that a language owns, or a script; nil for another.
func (g *Graph) scanFile(file string) *scanned {
	s := g.read(file)
	if s != nil {
		s.words = s.wordSet()
	}
	return s
}

func (g *Graph) read(file string) *scanned {
	for n, l := range g.in.Languages {
		if !l.Owns(file) {
			continue
		}
		s := &scanned{name: file, language: n}
		sum, known := "", false
		if g.in.Sum != nil {
			sum, known = g.in.Sum(file)
		}
		if known && g.in.Scans.find(scanKey(l, file, sum), s) {
			return s
		}
		src, err := g.in.Tree.ReadFile(file)
		switch {
		case err != nil: // it went away meanwhile: it imports nothing
			return s
		case len(src) > maxScan:
			s.tooLarge = true
		default:
			s.compact(l.Scan(file, src))
		}
		if known {
			g.in.Scans.keep(scanKey(l, file, sum), s)
		}
		return s
	}
	if n, as, src, ok := g.script(file); ok {
		s := &scanned{name: file, language: n}
		s.compact(g.in.Languages[n].Scan(as, src))
		return s
	}
	return nil
}

// scanKey is what a scan depends on: the language, the ending of the name and
// the content.
func scanKey(l lang.Language, file, sum string) string {
	base := path.Base(file)
	for i := range base {
		if base[i] == '.' {
			return l.Name() + "\x00" + base[i:] + "\x00" + sum
		}
	}
	return l.Name() + "\x00\x00" + sum
}

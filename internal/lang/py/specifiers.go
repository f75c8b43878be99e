package py

import (
	"path"
	"sort"
	"strings"
)

// Specifiers lists how importer may write target: absolute from each root
// that holds it and, inside a package, relative. The way of like comes first;
// without like, the way of most of the importer's other imports.
func (r *resolver) Specifiers(importer, target, like string) []string {
	absolute := r.absolute(importer, target, like)
	relative := r.relativeTo(importer, target)
	dotted := strings.HasPrefix(like, ".")
	if like == "" {
		dotted = r.prefersRelative(importer)
	}
	var out []string
	if relative != "" && dotted {
		out = append(out, relative)
	}
	out = append(out, absolute...)
	if relative != "" && !dotted {
		out = append(out, relative)
	}
	return out
}

// moduleParts gives the dotted parts of a file below a root; nil where a part
// is no identifier.
func moduleParts(root, file string) []string {
	rel := file
	if root != "." {
		var ok bool
		if rel, ok = strings.CutPrefix(file, root+"/"); !ok {
			return nil
		}
	}
	rel = strings.TrimSuffix(strings.TrimSuffix(rel, "i"), ".py")
	if rel == "__init__" {
		return nil
	}
	parts := strings.Split(strings.TrimSuffix(rel, "/__init__"), "/")
	for _, p := range parts {
		if !isDotted(p) || strings.Contains(p, ".") || keywords[p] {
			return nil
		}
	}
	return parts
}

func (r *resolver) absolute(importer, target, like string) []string {
	type option struct {
		spec string
		rank int
	}
	var options []option
	own := r.roots.base(path.Dir(importer))
	for n, root := range r.roots.list {
		parts := moduleParts(root, target)
		if parts == nil {
			continue
		}
		rank := 10 + n // the deepest root first
		if r.exists(path.Join(root, "__init__.py")) {
			rank += 1000 // a package's folder is a root by accident only
		}
		if root != own && root != "." && path.Base(root) != "src" && !strings.HasPrefix(importer, root+"/") {
			rank += 500 // a folder that only its own tests have on sys.path
		}
		if root == own {
			rank -= 5
		}
		if like != "" && head(like) == parts[0] {
			rank -= 5000
		}
		options = append(options, option{strings.Join(parts, "."), rank})
	}
	if parts := moduleParts(own, target); parts != nil && !r.roots.set[own] {
		options = append(options, option{strings.Join(parts, "."), 5})
	}
	sort.SliceStable(options, func(i, j int) bool { return options[i].rank < options[j].rank })
	var out []string
	for _, o := range options {
		out = append(out, o.spec)
	}
	return unique(out)
}

// relativeTo writes target relative to importer; "" where that is not possible.
func (r *resolver) relativeTo(importer, target string) string {
	from := path.Dir(importer)
	if from == "." || !r.inPackage(from) {
		return ""
	}
	top := r.roots.base(from)
	parts := moduleParts(".", target)
	if parts == nil || top != "." && !strings.HasPrefix(target, top+"/") {
		return ""
	}
	up := 1
	for dir := from; dir != "." && dir != top; dir, up = path.Dir(dir), up+1 {
		if rest, ok := strings.CutPrefix(target, dir+"/"); ok {
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, ".py"), "__init__")
			return strings.Repeat(".", up) + strings.ReplaceAll(strings.TrimSuffix(rest, "/"), "/", ".")
		}
	}
	return ""
}

// inPackage tells whether a folder is a regular package.
func (r *resolver) inPackage(dir string) bool { return r.exists(path.Join(dir, "__init__.py")) }

// prefersRelative tells whether most imports of the repository's own modules
// in the file are relative.
func (r *resolver) prefersRelative(importer string) bool {
	src, err := r.tree.ReadFile(importer)
	if err != nil {
		return false
	}
	relative, absolute := 0, 0
	for _, imp := range r.lang.Scan(importer, src).Imports {
		switch {
		case imp.Line == 0 || len(imp.Names) == 0:
		case strings.HasPrefix(imp.Specifier, "."):
			relative++
		default:
			if res := r.Resolve(importer, imp); len(res.Files) > 0 && res.Package == "" {
				absolute++
			}
		}
	}
	return relative > absolute
}

package py

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// maxPaths bounds the paths of one file: a table of thousands is data itself.
const maxPaths = 5000

// dataString notes a literal that looks like the path of a file.
func (s *scanner) dataString(i int, v string) {
	if s.is(i-1, "/") {
		if _, ok := s.literal(i - 2); !ok {
			s.chain(i-1, "")
		}
		return // a part of a chain is read with it
	}
	if s.is(i-1, "+") { // HERE + "/x.json"
		v = strings.TrimLeft(v, "/")
	}
	s.partOfPath(v)
	opened := s.is(i-1, "(") && (s.is(i-2, "open") || s.is(i-2, "Path"))
	if opened || looksLikePath(v) {
		s.data(v)
	}
}

// partOfPath notes the folder before what is computed or a pattern in
// "data/%s.json", "data/{}.json" and "data/*.json".
func (s *scanner) partOfPath(v string) {
	k := strings.IndexAny(v, "%{*?[")
	if k < 0 {
		return
	}
	dir := v[:strings.LastIndexByte(v[:k], '/')+1]
	if dir != "" && dir[0] != '/' && !strings.Contains(dir, " ") && looksLikePath(dir+"x") {
		s.data(dir)
	}
}

// commandLine notes what a line such as "python scripts/x.py --fast" or "{exe}
// -m pkg.cli" starts.
func (s *scanner) commandLine(v string, sp lang.Span, lazy bool) {
	if !strings.Contains(v, " ") || len(v) > 250 {
		return
	}
	words := strings.Fields(strings.Trim(v, "\"'"))
	for k, word := range words {
		switch {
		case k > 0 && words[k-1] == "-m" && isDotted(word):
			s.program(word, sp, lazy)
		case path.Ext(word) == ".py" && strings.Contains(word, "/") && !path.IsAbs(word) && looksLikePath(word):
			s.data(word)
		}
	}
}

// program notes what python -m runs: a module, or a package's __main__.
func (s *scanner) program(module string, sp lang.Span, lazy bool) {
	s.mention(module, sp, lazy)
	s.mention(module+".__main__", sp, lazy)
}

// formattedPath notes the end of f"{HERE}/x.json".
func (s *scanner) formattedPath(i int) {
	if !s.is(i-1, "}") {
		return
	}
	v := strings.TrimRight(string(s.src[s.toks[i].Start:s.toks[i].End]), "\"'")
	if strings.HasPrefix(v, "/") && len(v) <= 250 && looksLikePath(v) {
		s.data(strings.TrimLeft(v, "/"))
	}
}

// formattedFolder notes the folder that open(f"data/{name}.json") begins with.
func (s *scanner) formattedFolder(i int) {
	if !s.is(i-1, "(") || !s.is(i-2, "open") && !s.is(i-2, "Path") || !s.is(i+1, "{") {
		return
	}
	v, _ := s.prefix(i, i+1)
	dir := v[:strings.LastIndexByte(v, '/')+1]
	if dir != "" && dir[0] != '/' && looksLikePath(strings.TrimSuffix(dir, "/")+"/x") {
		s.data(dir)
	}
}

// looksLikePath wants an extension or a folder, and nothing that a path of a
// repository would not have.
func looksLikePath(v string) bool {
	if strings.ContainsAny(v, "*?<>|\"\\{}$%") || strings.Contains(v, "://") || strings.HasSuffix(v, " ") {
		return false
	}
	base := path.Base(v)
	dot := strings.LastIndexByte(base, '.')
	if dot >= 0 && dot+1 < len(base) && len(base)-dot <= 9 {
		for _, c := range []byte(base[dot+1:]) {
			if !isWordStart(c) && !isDigit(c) {
				return false
			}
		}
		if dot == 0 && base == v {
			return strings.HasPrefix(v, ".env") // ".py" is an extension, not a file
		}
		return strings.Trim(v, "0123456789.") != ""
	}
	return strings.Trim(v, "/.") != "" && strings.Contains(v, "/") && !strings.Contains(v, " ")
}

func (s *scanner) data(v string) {
	v = strings.TrimPrefix(v, "./")
	if k := strings.IndexAny(v, "*?["); k >= 0 {
		v = v[:strings.LastIndexByte(v[:k], '/')+1]
	}
	if v == "" || v == "." || v == ".." || s.paths[v] || len(s.paths) >= maxPaths {
		return
	}
	if s.paths == nil {
		s.paths = map[string]bool{}
	}
	s.paths[v] = true
	s.f.DataPaths = append(s.f.DataPaths, v)
}

// pathChain reads Path(__file__).parent.parent / "data" / "x.json", and
// os.path.dirname(os.path.dirname(__file__)) around it, from __file__ or Path on.
func (s *scanner) pathChain(i int) {
	at := i + 1
	if s.is(i, "Path") {
		if s.is(i+2, "__file__") {
			return // read from __file__ on
		}
		if v, ok := s.literal(i + 2); ok {
			s.chain(s.skip(i+1), v)
		}
		return
	}
	ups := 0
	for open := i - 1; s.is(open, "(") && s.is(at, ")"); { // dirname(dirname(__file__)), Path(__file__), str(…)
		if s.is(open-1, "dirname") {
			ups++
		}
		at = s.skip(open)
		for open--; s.ident(open) || s.is(open, "."); open-- {
		}
	}
	rel, known := strings.Repeat("../", max(ups-1, 0)), ups > 0
	for s.is(at, ".") && s.ident(at+1) {
		switch s.str(at + 1) {
		case "parent":
			if known {
				rel += "../"
			}
			known = true
		case "resolve", "absolute", "expanduser":
		case "parents":
			if s.is(at+2, "[") && s.kind(at+3) == lang.Number {
				rel += strings.Repeat("../", int(s.src[s.toks[at+3].Start]&0x0f))
				known = true
			}
		case "with_name", "joinpath":
			if v, ok := s.literal(at + 3); ok && s.is(at+2, "(") {
				s.data(rel + v)
			}
		}
		at += 2
		for s.is(at, "(") || s.is(at, "[") {
			at = s.skip(at)
		}
	}
	s.chain(at, strings.TrimSuffix(rel, "/"))
	// os.path.join(dirname(__file__), "data", "x.json")
	if known && s.is(at, ",") {
		s.joined(at, rel)
	}
}

// chain reads / "a" / "b.json" from token at on.
func (s *scanner) chain(at int, base string) {
	found := false
	for s.is(at, "/") {
		v, ok := s.literal(at + 1)
		if !ok {
			if found {
				s.data(base + "/")
			}
			return
		}
		base, found = path.Join(base, v), true
		at += 2
	}
	if found {
		s.folderOrFile(base)
	}
}

// folderOrFile marks a joined path without an extension as a folder, too.
func (s *scanner) folderOrFile(v string) {
	if path.Ext(v) == "" {
		v += "/"
	}
	s.data(v)
}

// joinCall reads os.path.join(x, "a", "b") and x.joinpath("a", "b") where the
// first part is computed, and HERE / "a" is read by chains below.
func (s *scanner) joinCall(i int) {
	if s.is(i, "join") && !s.is(i-2, "path") {
		return
	}
	end := s.skip(i+1) - 1
	for k := i + 2; k < end; k = s.skip(k) {
		if s.is(k, "__file__") {
			return
		}
		if _, ok := s.literal(k); ok {
			s.joined(k-1, "")
			return
		}
	}
}

// joined reads , "a", "b.json" from the comma on.
func (s *scanner) joined(comma int, base string) {
	found := false
	for k := comma + 1; ; k += 2 {
		v, ok := s.literal(k)
		if !ok {
			break
		}
		base, found = path.Join(base, v), true
		if !s.is(k+1, ",") {
			break
		}
	}
	if found {
		s.folderOrFile(base)
	}
}

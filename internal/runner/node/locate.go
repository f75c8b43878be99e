package node

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
	"regreen/internal/plain"
	"regreen/internal/runner"
)

// Context is what is known about the run that an error comes from.
type Context struct {
	Framework string
	// Root is the tree the tests ran in, Origin the user's own; both abs.
	Root, Origin string
	// Disk is where this process finds the files of Root; "" is Root.
	Disk string
	// Project is the project's root, rel: frameworks print paths that are
	// relative to it. "" is the repository's root.
	Project string
	// Read gives a file of the tree that ran.
	Read func(rel string) ([]byte, error)
	// Language scans JavaScript. Without it imports are found by text alone.
	Language lang.Language

	roots []string // what bases gives, where it is known already
}

// NewContext is the context of a project's run in env.
func NewContext(env runner.Env, p runner.Project, l lang.Language) Context {
	c := Context{
		Framework: p.Framework, Root: env.Root, Origin: env.Origin, Disk: env.OnDisk(), Project: p.Root, Language: l,
		Read: func(rel string) ([]byte, error) {
			return plain.ReadFile(filepath.Join(env.OnDisk(), filepath.FromSlash(rel)))
		},
	}
	c.roots = c.bases()
	return c
}

func (c Context) read(rel string) ([]byte, bool) {
	if c.Read == nil || rel == "" {
		return nil, false
	}
	b, err := c.Read(rel)
	return b, err == nil
}

func (c Context) exists(rel string) bool {
	if c.Root != "" {
		fi, err := os.Stat(filepath.Join(c.disk(), filepath.FromSlash(rel)))
		if err == nil {
			return fi.Mode().IsRegular()
		}
	}
	_, ok := c.read(rel)
	return ok
}

func (c Context) disk() string {
	if c.Disk != "" {
		return c.Disk
	}
	return c.Root
}

func (c Context) isDir(rel string) bool {
	fi, err := os.Stat(filepath.Join(c.disk(), filepath.FromSlash(rel)))
	return c.Root != "" && err == nil && fi.IsDir()
}

// Rel maps a file as a framework names it (a file: URL, an absolute path in
// the sandbox or in the user's tree, or a path relative to the project) to the
// repository. ok is false for what is not the project's own source: installed
// packages, Node's internals, our reporters.
func Rel(c Context, file string) (rel string, ok bool) {
	file = cleanFile(file)
	if file == "" {
		return "", false
	}
	if isAbs(file) {
		for _, base := range c.bases() {
			if r, ok := under(base, file); ok {
				return r, own(r)
			}
		}
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(file)); err == nil {
			for _, base := range c.bases() {
				if r, ok := under(base, filepath.ToSlash(real)); ok {
					return r, own(r)
				}
			}
		}
		return "", false
	}
	if strings.Contains(file, ":") {
		return "", false // node:fs, webpack://…, evalmachine
	}
	for _, r := range []string{path.Join(c.project(), file), path.Clean(file)} {
		if own(r) && c.exists(r) {
			return r, true
		}
	}
	return "", false
}

func (c Context) project() string {
	if c.Project == "" {
		return "."
	}
	return c.Project
}

// Folder maps a path, which need not exist and may hold placeholders, to the
// repository; "." is its root. What is installed is not the repository's.
func Folder(c Context, abs string) (rel string, ok bool) {
	abs = path.Clean(filepath.ToSlash(abs))
	for _, base := range c.bases() {
		if abs == strings.TrimSuffix(base, "/") {
			return ".", true
		}
		if r, ok := under(base, abs); ok {
			return r, own(r)
		}
	}
	return "", false
}

// Installed gives the specifier of a path below node_modules.
func Installed(abs string) (spec string, ok bool) {
	const dir = "/node_modules/"
	abs = filepath.ToSlash(abs)
	i := strings.LastIndex(abs, dir)
	if i < 0 {
		return "", false
	}
	return abs[i+len(dir):], true
}

// bases are the roots and their real paths, as slash paths.
func (c Context) bases() []string {
	if c.roots != nil {
		return c.roots
	}
	var out []string
	for _, r := range []string{c.Root, c.Origin, c.Disk} {
		if r == "" {
			continue
		}
		out = append(out, filepath.ToSlash(r))
		if real, err := filepath.EvalSymlinks(r); err == nil && real != r {
			out = append(out, filepath.ToSlash(real))
		}
	}
	return out
}

func own(rel string) bool {
	if rel == "" || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return false
	}
	return !strings.Contains("/"+rel+"/", "/node_modules/") && !strings.Contains("/"+rel, "/.yarn/") &&
		!strings.Contains("/"+rel, "/.pnp.")
}

func under(base, file string) (string, bool) {
	base = strings.TrimSuffix(base, "/")
	if r, ok := strings.CutPrefix(file, base+"/"); ok {
		r = path.Clean(r)
		return r, r != "." && !strings.HasPrefix(r, "../")
	}
	return "", false
}

func isAbs(file string) bool {
	return strings.HasPrefix(file, "/") || len(file) > 2 && file[1] == ':' && file[2] == '/'
}

// cleanFile takes off what frameworks put around a path.
func cleanFile(file string) string {
	file = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(file), "async "))
	if strings.HasPrefix(file, "file:") {
		u, err := url.Parse(file)
		if err != nil {
			return ""
		}
		file = u.Path
		if len(file) > 3 && file[0] == '/' && file[2] == ':' {
			file = file[1:] // file:///C:/x
		}
	}
	file = strings.TrimPrefix(file, "/@fs")
	if i := strings.IndexByte(file, '?'); i > 0 {
		file = file[:i]
	}
	return strings.ReplaceAll(file, `\`, "/")
}

var ansi = lazyregexp.New(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// Plain takes the colour codes out of a text.
func Plain(s string) string { return ansi.ReplaceAllString(s, "") }

// ParseStack reads the frames of a V8 stack, innermost first, as they stand.
// Of several blocks of frames the last is the error's own: a message may hold
// another error's (expect(…).toThrow).
func ParseStack(stack string) []runner.RawFrame {
	var out []runner.RawFrame
	ended, deep := false, false
	for line := range strings.Lines(Plain(stack)) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, "at ")
		if !ok {
			ended = len(out) > 0
			continue
		}
		// V8 indents by four; what stands deeper is a stack inside a message.
		if ended || deep && indent == 4 {
			out, ended = nil, false
		}
		deep = len(out) == 0 && indent > 4 || deep && len(out) > 0
		rest = strings.TrimPrefix(rest, "async ")
		f := runner.RawFrame{}
		loc := rest
		if strings.HasSuffix(rest, ")") {
			if i := strings.LastIndex(rest, " ("); i > 0 {
				f.Function, loc = rest[:i], rest[i+2:len(rest)-1]
			}
		}
		file, l, col, ok := splitPosition(loc)
		if !ok {
			f.File, f.Function = "<anonymous>", rest
			out = append(out, f)
			continue
		}
		f.File, f.Line, f.Column = file, l, col
		out = append(out, f)
	}
	return out
}

// splitPosition takes "file:line:column" apart.
func splitPosition(s string) (file string, line, column int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return "", 0, 0, false
	}
	column, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return "", 0, 0, false
	}
	j := strings.LastIndexByte(s[:i], ':')
	if j <= 0 {
		return "", 0, 0, false
	}
	line, err = strconv.Atoi(s[j+1 : i])
	if err != nil {
		return "", 0, 0, false
	}
	return s[:j], line, column, true
}

// Frames are the project's own frames of an error, innermost first.
func Frames(c Context, e runner.RawError) []runner.Frame {
	raw := withHidden(e)
	var out []runner.Frame
	for _, f := range raw {
		rel, ok := Rel(c, f.File)
		if !ok || f.Line <= 0 {
			continue
		}
		out = append(out, runner.Frame{
			Place:    runner.Place{File: rel, Line: f.Line, Column: f.Column},
			Function: f.Function,
		})
	}
	return out
}

// withHidden are an error's frames with those before them in its stack that the
// framework left out: vitest drops what lies in vitest/src or packages/x/dist,
// the project's own too. A stack whose places are others than the frames', for
// it is that of compiled code, adds nothing.
func withHidden(e runner.RawError) []runner.RawFrame {
	stack := ParseStack(e.Stack)
	if len(e.Frames) == 0 {
		return stack
	}
	first := e.Frames[0]
	i := slices.IndexFunc(stack, func(f runner.RawFrame) bool {
		return cleanFile(f.File) == cleanFile(first.File) && f.Line == first.Line && f.Column == first.Column
	})
	return slices.Concat(stack[:max(i, 0)], e.Frames)
}

// lineAt gives the line and column (from 1) of a byte offset.
func lineAt(src []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(src))
	head := src[:offset]
	line = 1 + strings.Count(string(head), "\n")
	return line, offset - strings.LastIndexByte(string(head), '\n')
}

// lineText is the text of a line, from 1.
func lineText(src []byte, line int) string {
	for l := range strings.Lines(string(src)) {
		if line--; line == 0 {
			return strings.TrimRight(l, "\r\n")
		}
	}
	return ""
}

// Command parity compares what regreen finds imported in every file of
// repositories with what TypeScript's own parser and CPython's ast find.
//
//	go run ./bench/parity /tmp/zustand /tmp/click …
//
// It prints the files in which they differ and how, and ends with 1 when there
// are any. A file that the other parser finds an error in is left out: there is
// no truth about it.
//
// One difference is meant: an import inside declare module "x" { … } belongs to
// the types of another module, and regreen does not count it.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

//go:embed typescript.mjs
var tsOracle string

//go:embed cpython.py
var pyOracle string

func main() {
	ts := flag.String("typescript", "testdata/deps/vitest5/node_modules/typescript/lib/typescript.js", "the compiler's library")
	python := flag.String("python", "python3", "the interpreter whose ast is asked")
	flag.Parse()
	differ, err := run(context.Background(), os.Stdout, *ts, *python, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "parity: error:", err)
		os.Exit(3)
	}
	if differ {
		os.Exit(1)
	}
}

// told is what an oracle says of a file.
type told struct {
	File    string   `json:"file"`
	Error   bool     `json:"error"`
	Imports []string `json:"imports"`
}

func run(ctx context.Context, out io.Writer, ts, python string, roots []string) (differ bool, err error) {
	ts, err = filepath.Abs(ts)
	if err != nil {
		return false, err
	}
	sides := []struct {
		l    lang.Language
		args []string
	}{
		{js.Language{}, []string{"node", "--input-type=module", "-e", tsOracle, ts}},
		{py.New(""), []string{python, "-c", pyOracle}},
	}
	for _, root := range roots {
		files, err := sources(root)
		if err != nil {
			return differ, err
		}
		for _, s := range sides {
			var of []string
			for _, f := range files {
				if s.l.Owns(f) && !strings.HasSuffix(f, ".vue") && !strings.HasSuffix(f, ".svelte") {
					of = append(of, f)
				}
			}
			if len(of) == 0 {
				continue
			}
			answers, err := ask(ctx, s.args, of)
			if err != nil {
				return differ, fmt.Errorf("ask about %s: %w", root, err)
			}
			broken, bad, imports := 0, 0, 0
			for _, t := range answers {
				if t.Error {
					broken++
					continue
				}
				src, err := os.ReadFile(t.File)
				if err != nil {
					return differ, err
				}
				got := imported(s.l, t.File, src)
				slices.Sort(t.Imports)
				imports += len(t.Imports)
				if slices.Equal(got, t.Imports) {
					continue
				}
				bad++
				fmt.Fprintf(out, "  %s: missing %q, too many %q\n", t.File, without(t.Imports, got), without(got, t.Imports))
			}
			differ = differ || bad > 0
			fmt.Fprintf(out, "%s %s: %d files, %d imports, %d differ, %d do not parse\n", filepath.Base(root), s.l.Name(), len(answers), imports, bad, broken)
		}
	}
	return differ, nil
}

// sources are the files of a repository that git knows, regular ones.
func sources(root string) ([]string, error) {
	text, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", root, err)
	}
	var out []string
	for _, f := range strings.Split(string(text), "\x00") {
		abs := filepath.Join(root, f)
		if fi, err := os.Lstat(abs); f != "" && err == nil && fi.Mode().IsRegular() && fi.Size() < 4<<20 {
			out = append(out, abs)
		}
	}
	return out, nil
}

// ask gives a parser the files, a line each, and reads a line for each.
func ask(ctx context.Context, args, files []string) ([]told, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var out []told
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var t told
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, lines.Err()
}

// imported lists the modules that a file's statements and calls name, as the
// oracles do: what regreen takes for more than an import (mocked modules, URLs,
// directives in comments, plugins) is not asked about.
func imported(l lang.Language, file string, src []byte) []string {
	var out []string
	for _, i := range l.Scan(file, src).Imports {
		text := string(src[i.Span.Start:min(i.Span.End, len(src))])
		if l.Name() == "js" {
			call := strings.HasPrefix(text, "require(") || strings.HasPrefix(text, "import(") || strings.HasPrefix(text, "require (") || strings.HasPrefix(text, "import (")
			statement := strings.HasPrefix(text, "import") && !strings.HasPrefix(text, "import.") || strings.HasPrefix(text, "export")
			if i.Kind == lang.Wide || i.Kind == lang.Mention || !call && !statement {
				continue
			}
		} else if i.Kind != lang.Static && i.Kind != lang.From && i.Kind != lang.TypeOnly || !strings.HasPrefix(text, "import") && !strings.HasPrefix(text, "from") {
			continue
		}
		out = append(out, i.Specifier)
	}
	slices.Sort(out)
	return out
}

// without gives what a has and b has not, with repeats.
func without(a, b []string) []string {
	left := slices.Clone(b)
	var out []string
	for _, x := range a {
		if i := slices.Index(left, x); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			out = append(out, x)
		}
	}
	return out
}

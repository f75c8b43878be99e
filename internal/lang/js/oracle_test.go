package js

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

// oracleFacts are what the TypeScript compiler says of a file.
type oracleFacts struct {
	File    string   `json:"file"`
	Errors  int      `json:"errors"`
	Imports []string `json:"imports"`
	Exports []string `json:"exports"`
	Defs    []string `json:"defs"`
}

// TestScanAgreesWithTypeScript compares imports, exports and definitions with
// the compiler's over files of the installed frameworks. REGREEN_ORACLE_FILES
// sets how many ("all" for every file).
func TestScanAgreesWithTypeScript(t *testing.T) {
	deps, compiler := oracle(t)
	list := sample(t, corpusFiles(t, deps), 300)
	seen, bad := 0, 0
	for _, line := range runOracle(t, "testdata/oracle.mjs", compiler, list) {
		var want oracleFacts
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if want.Errors > 0 {
			continue
		}
		src, err := os.ReadFile(want.File)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		got := factsOf(want.File, src, want)
		sort.Strings(want.Imports)
		sort.Strings(want.Exports)
		sort.Strings(want.Defs)
		want.Errors = 0
		if d := cmp.Diff(want, got); d != "" {
			bad++
			if bad <= 40 {
				t.Errorf("%s (-typescript +ours):\n%s", strings.TrimPrefix(want.File, deps), d)
			}
		}
	}
	t.Logf("%d files compared, %d differ", seen, bad)
}

// oracle finds the installed frameworks and the TypeScript compiler among them.
func oracle(t *testing.T) (deps, compiler string) {
	t.Helper()
	deps, err := filepath.Abs("../../../testdata/deps")
	if err != nil {
		t.Fatal(err)
	}
	compiler = filepath.Join(deps, "vitest5/node_modules/typescript/lib/typescript.js")
	if _, err := os.Stat(compiler); err != nil {
		t.Fatalf("the TypeScript compiler is not installed (%v): run make deps", err)
	}
	return deps, compiler
}

// sample takes about limit of the files, evenly.
func sample(t *testing.T, files []string, limit int) []string {
	t.Helper()
	if n := os.Getenv("REGREEN_ORACLE_FILES"); n == "all" {
		return files
	} else if n != "" {
		if _, err := fmt.Sscan(n, &limit); err != nil {
			t.Fatal(err)
		}
	}
	var list []string
	step := max(1, len(files)/limit)
	for i := 0; i < len(files); i += step {
		list = append(list, files[i])
	}
	return list
}

// runOracle gives a script the list and returns the lines that it writes.
func runOracle(t *testing.T, script, compiler string, list []string) [][]byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", script, compiler)
	cmd.Stdin = strings.NewReader(strings.Join(list, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run the oracle: %v\n%s", err, stderr.Bytes())
	}
	return bytes.Split(bytes.TrimSpace(out), []byte("\n"))
}

// factsOf puts our scan in the oracle's words.
func factsOf(file string, src []byte, want oracleFacts) oracleFacts {
	f := Language{}.Scan(file, src)
	got := oracleFacts{File: file, Imports: []string{}, Exports: []string{}, Defs: []string{}}
	for _, imp := range f.Imports {
		stmt := string(src[imp.Span.Start:imp.Span.End])
		kind := ""
		switch imp.Kind {
		case lang.Static, lang.Require, lang.Dynamic, lang.ReExport, lang.TypeOnly, lang.Asset:
			switch {
			case strings.HasPrefix(stmt, "///"), strings.HasPrefix(stmt, "import.meta"), isTypes(file) && strings.HasPrefix(stmt, "require"), strings.HasPrefix(stmt, "require.resolve"), strings.HasPrefix(stmt, "new URL"), strings.HasPrefix(stmt, "module"):
				continue
			case imp.Kind == lang.TypeOnly:
				kind = "type"
			case strings.HasPrefix(stmt, "import("):
				kind = "import()"
			case strings.HasPrefix(stmt, "require"), strings.HasPrefix(stmt, "import") && strings.Contains(stmt, "require("):
				kind = "require"
			case strings.HasPrefix(stmt, "export"):
				kind = "export"
			case strings.HasPrefix(stmt, "import"):
				kind = "import"
			}
		default:
			continue
		}
		got.Imports = append(got.Imports, fmt.Sprintf("%s %s %d", kind, imp.Specifier, imp.SpecSpan.Start))
	}
	for _, e := range f.Exports {
		got.Exports = append(got.Exports, e.Name)
	}
	if f.CommonJS || len(want.Exports) == 0 {
		got.Exports = append([]string{}, want.Exports...)
	}
	undecorated := map[string]bool{}
	for _, d := range want.Defs {
		if strings.HasSuffix(d, " ") {
			undecorated[strings.TrimSuffix(d, " ")] = true
		}
	}
	for _, d := range f.Defs {
		body := fmt.Sprintf("%d-%d", d.Body.Start, d.Body.End)
		if undecorated[d.Name] {
			body = ""
		}
		got.Defs = append(got.Defs, d.Name+" "+body)
	}
	sort.Strings(got.Imports)
	sort.Strings(got.Exports)
	sort.Strings(got.Defs)
	return got
}

// corpusFiles lists the JavaScript and TypeScript files of the installed
// packages, without the big bundles.
func corpusFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() || !(Language{}).Owns(p) || isComponent(p) {
			return err
		}
		_, key, _ := strings.Cut(p, "node_modules/")
		if info, err := d.Info(); err != nil || info.Size() > 600_000 || seen[key] {
			return err
		}
		seen[key] = true
		files = append(files, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

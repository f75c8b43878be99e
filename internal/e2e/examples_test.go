package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
	"regreen/internal/config"
)

// standIn takes a tool's real command line, as its own help has it, and no
// other; then it does what the tool is there for.
type standIn struct {
	sub             []string // the subcommand
	flags, valued   []string // that the tool knows
	must            string   // a flag without which it would edit nothing
	key             string   // the variable with its key
	input           string   // where the task is: "stdin", a flag, or "" for file names
	project, refuse string   // the mini project; what it says to a wrong command line
}

// standIns are by the name of the example.
func standIns() map[string]standIn {
	return map[string]standIn{
		"claude": {flags: []string{"-p", "--print", "--verbose"}, valued: []string{"--permission-mode", "--allowedTools", "--output-format", "--model", "--max-turns"},
			must: "--permission-mode=acceptEdits", key: "ANTHROPIC_API_KEY", input: "stdin"},
		"codex": {sub: []string{"exec"}, flags: []string{"--ephemeral", "--skip-git-repo-check", "--json"}, valued: []string{"--sandbox", "-m", "-o", "-c"},
			must: "--sandbox=workspace-write", key: "CODEX_API_KEY", input: "stdin"},
		"gemini": {flags: []string{"--skip-trust", "--debug"}, valued: []string{"-p", "--prompt", "--approval-mode", "-m", "--output-format"},
			must: "--approval-mode=auto_edit", key: "GEMINI_API_KEY", input: "stdin"},
		"opencode": {sub: []string{"run"}, flags: []string{"--auto", "--standalone"}, valued: []string{"--file", "-f", "--model", "-m", "--format"},
			must: "--auto", key: "ANTHROPIC_API_KEY", input: "--file"},
		"cursor": {flags: []string{"-p", "--print", "--force", "--trust"}, valued: []string{"--model", "--output-format"}, must: "--force", key: "CURSOR_API_KEY", input: "stdin"},
		"aider": {flags: []string{"--yes-always", "--no-git", "--no-check-update", "--no-auto-commits"}, valued: []string{"--message-file", "--model"},
			must: "--yes-always", key: "OPENAI_API_KEY", input: "--message-file"},
		"eslint": {flags: []string{"--fix", "--quiet"}, valued: []string{"--config", "--format"}, must: "--fix"},
		"ruff": {sub: []string{"check"}, flags: []string{"--fix", "--exit-zero", "--no-cache", "--unsafe-fixes"}, valued: []string{"--select"},
			must: "--fix", project: "pytest"},
	}
}

// script is the stand-in as a shell script.
func (s standIn) script(m mini) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nseen=\nfile=\nfiles=\n")
	for _, sub := range s.sub {
		fmt.Fprintf(&b, "[ \"$1\" = %s ] || { echo \"unknown command '$1'\" >&2; exit 2; }\nshift\n", sub)
	}
	b.WriteString("while [ $# -gt 0 ]; do\n  case \"$1\" in\n")
	for _, f := range s.valued {
		take := "seen=\"$seen $1=$2 \""
		if f == s.input {
			take += "; file=$2"
		}
		fmt.Fprintf(&b, "  %s) %s; shift ;;\n", f, take)
	}
	fmt.Fprintf(&b, "  %s) seen=\"$seen $1 \" ;;\n", strings.Join(s.flags, "|"))
	b.WriteString("  -*) echo \"unknown option '$1'\" >&2; exit 2 ;;\n  *) files=\"$files $1\" ;;\n  esac\n  shift\ndone\n")
	fmt.Fprintf(&b, "case \"$seen \" in *' %s '*) ;; *) echo 'nothing may be edited' >&2; exit 0 ;; esac\n", s.must)
	if s.key != "" {
		fmt.Fprintf(&b, "[ -n \"$%s\" ] || { echo 'not logged in' >&2; exit 1; }\necho session > \"$HOME/.session\" || exit 1\n", s.key)
	}
	switch s.input {
	case "":
		fmt.Fprintf(&b, "case \"$files \" in *' %s '*) ;; *) echo 'no file' >&2; exit 2 ;; esac\n", m.source)
	case "stdin":
		b.WriteString("task=$(cat)\n")
	default:
		b.WriteString("[ -f \"$file\" ] || { echo \"no file $file\" >&2; exit 1; }\ntask=$(cat \"$file\")\n")
	}
	if s.input != "" {
		b.WriteString("case \"$task\" in *assertion_mismatch*) ;; *) echo 'no task' >&2; exit 1 ;; esac\n")
	}
	b.WriteString(m.mend() + "\necho 'Divided by five again.'\n")
	if s.must == "--fix" && len(s.sub) == 0 {
		b.WriteString("exit 1\n") // problems are left
	}
	return b.String()
}

// examples are the blocks of the README between its marks.
func examples(t *testing.T, language string) []string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(repoRoot, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(src), -1) {
		out = append(out, m[1])
	}
	return out
}

// TestExamples runs each command fixer of the README with a stand-in.
func TestExamples(t *testing.T) {
	seen := []string{}
	for _, example := range examples(t, "toml") {
		cfg, err := config.Parse("README.md", []byte(example))
		if err != nil {
			t.Fatalf("%v\n%s", err, example)
		}
		for _, c := range cfg.Fixers.Command {
			seen = append(seen, c.Name)
			s, ok := standIns()[c.Name]
			if !ok {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				m := miniOf(map[bool]string{true: "pytest", false: "jest"}[s.project == "pytest"])
				r := m.broken(t, example, nil)
				bin := filepath.Join(filepath.Dir(filepath.Dir(r.dir)), "bin")
				program := filepath.Join(bin, c.Command[0])
				if strings.Contains(c.Command[0], "/") {
					program = r.path(c.Command[0])
				}
				if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(program, []byte(s.script(m)), 0o755); err != nil {
					t.Fatal(err)
				}
				for i, kv := range r.environ {
					if path, ok := strings.CutPrefix(kv, "PATH="); ok {
						r.environ[i] = "PATH=" + bin + string(os.PathListSeparator) + path
					}
				}
				if s.key != "" {
					r.environ = append(r.environ, s.key+"=key-0123456789")
				}
				d, res := r.run()
				if d.Outcome != cycle.Repaired || r.read(m.source) != m.good || lastFix(d).By != c.Name {
					t.Errorf("outcome %q: %s %q\n%s", d.Outcome, d.Reason, d.Warnings, res.stderr)
				}
			})
		}
	}
	for name := range standIns() {
		if !slices.Contains(seen, name) {
			t.Errorf("the README has no example of %s", name)
		}
	}
}

// TestTypeScriptExample runs the README's codefix runner with a real
// TypeScript, against names that nothing else may mend.
func TestTypeScriptExample(t *testing.T) {
	var settings string
	for _, example := range examples(t, "toml") {
		if strings.Contains(example, "tools/codefix.mjs") {
			settings = "[fixers]\ndisabled = [\"missing_import\", \"missing_export\", \"undefined_variable\", \"attribute_error\", \"syntax_error\"]\n" + example
		}
	}
	files := map[string]string{"regreen.toml": settings, "package.json": `{ "name": "mini", "private": true, "type": "module", "scripts": { "test": "vitest run" } }` + "\n",
		"tsconfig.json":     `{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "skipLibCheck": true, "types": [] }, "include": ["src"] }` + "\n",
		"src/rates.ts":      "export const divisor = 5;\n",
		"src/tax.ts":        "import { divisor } from './rates.js';\n\nexport function tax(amount: number): number {\n  return amount / divisor;\n}\n",
		"test/tax.test.ts":  "import { expect, it } from 'vitest';\nimport { tax } from '../src/tax.js';\n\nit('is a fifth', () => {\n  expect(tax(150)).toBe(30);\n});\n",
		"tools/codefix.mjs": examples(t, "js")[0],
		".gitignore":        "node_modules/\n",
	}
	r := newRepo(t, "vitest5", files)
	r.write("src/tax.ts", "export function tax(amount: number): number {\n  return amuont / divisor;\n}\n")
	d, res := r.run()
	if want := "import { divisor } from \"./rates.js\";\n\nexport function tax(amount: number): number {\n  return amount / divisor;\n}\n"; d.Outcome != cycle.Repaired || r.read("src/tax.ts") != want {
		t.Errorf("outcome %q: %s %q\n%s\n%s", d.Outcome, d.Reason, d.Warnings, r.read("src/tax.ts"), res.stderr)
	}
}

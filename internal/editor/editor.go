// Package editor knows the editors: the configuration that makes one run
// regreen after a save, and how one says that it holds unsaved changes.
//
// Its invariant: what it prints is complete and can be used as it is. It
// installs nothing and reads nothing of an editor but its swap and lock files.
package editor

import (
	"embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"text/template"
)

//go:embed config
var configs embed.FS

// Editor is one editor that regreen has a configuration for.
type Editor struct {
	Name string // as `regreen hook` takes it
	// Path is where the configuration goes: "~/…" in the home folder, else
	// relative to the project's folder.
	Path string
	file string // of configs
}

// All are the editors, by name.
func All() []Editor {
	return []Editor{
		{"emacs", "~/.emacs.d/regreen.el", "emacs.el"},
		{"helix", "~/.config/helix/config.toml", "helix.toml"},
		{"jetbrains", ".idea/watcherTasks.xml", "jetbrains.xml"},
		{"neovim", "~/.config/nvim/plugin/regreen.lua", "neovim.lua"},
		{"sublime", "~/.config/sublime-text/Packages/User/regreen.py", "sublime.py"},
		{"vim", "~/.vim/plugin/regreen.vim", "vim.vim"},
		{"vscode", ".vscode/tasks.json", "vscode.json"},
		{"zed", "~/.config/zed/tasks.json", "zed.json"},
	}
}

// Names are the names of All.
func Names() []string {
	var out []string
	for _, e := range All() {
		out = append(out, e.Name)
	}
	return out
}

// Find gives an editor by name; nvim and code are known too.
func Find(name string) (Editor, bool) {
	switch name {
	case "nvim":
		name = "neovim"
	case "code":
		name = "vscode"
	}
	for _, e := range All() {
		if e.Name == name {
			return e, true
		}
	}
	return Editor{}, false
}

// extensions are those of the files that a save hook tells of: JavaScript,
// TypeScript, Python, and what compiles to them. The watcher sees all others.
func extensions() []string {
	return []string{"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "py", "pyi"}
}

// The forms of what regreen prints, as problem matchers read them. Pattern has
// the groups file, line, column, severity, message and kind; Begin and End are
// the first and last line of a cycle of `regreen watch`.
const (
	Pattern = `^(.+?):(\d+):(\d+): (error|warning): (.*) \[(\w+)\]$`
	Begin   = `^regreen: begin: `
	End     = `^regreen: end: `
)

// Config is the configuration for an editor that runs program, an absolute path
// or a name on PATH.
func (e Editor) Config(program string) (string, error) {
	src, err := configs.ReadFile("config/" + e.file)
	if err != nil {
		return "", fmt.Errorf("read the configuration for %s: %w", e.Name, err)
	}
	t, err := template.New(e.Name).Delims("«", "»").Option("missingkey=error").Funcs(quotes()).Parse(string(src))
	if err != nil {
		return "", fmt.Errorf("parse the configuration for %s: %w", e.Name, err)
	}
	ext := extensions()
	var b strings.Builder
	err = t.Execute(&b, map[string]string{
		"Path": e.Path, "Program": program,
		"Globs":        "*." + strings.Join(ext, ",*."),
		"Regexp":       `\.\(?:` + strings.Join(ext, `\|`) + `\)\'`,
		"PythonRegexp": `\.(?:` + strings.Join(ext, "|") + `)$`,
		"Pattern":      Pattern, "Begin": Begin, "End": End,
		"HelixSave":   `:run-shell-command ` + Shell(program) + ` save --wait -- "%{buffer_name}"`,
		"HelixStatus": `:run-shell-command ` + Shell(program) + ` status`,
	})
	if err != nil {
		return "", fmt.Errorf("fill the configuration for %s in: %w", e.Name, err)
	}
	return b.String(), nil
}

// quotes write a text as a literal of a language.
func quotes() template.FuncMap {
	return template.FuncMap{
		"vim":  func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
		"lua":  doubleQuoted,
		"lisp": doubleQuoted,
		"toml": jsonText,
		"json": jsonText,
		"xml":  xmlText,
	}
}

// doubleQuoted is a literal of Lua and of Emacs Lisp, which escape a backslash
// and a quote alike and take any other byte as it is.
func doubleQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func jsonText(s string) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func xmlText(s string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(s))
	return b.String(), err
}

// Shell is a word of a POSIX shell.
func Shell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

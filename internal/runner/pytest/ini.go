package pytest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"regreen/internal/plain"
)

// config is what pytest's ini file says, as far as regreen needs it.
type config struct {
	file       string // rel, "" for none
	testpaths  []string
	files      []string // python_files
	norecurse  []string
	pythonpath []string
	addopts    []string
	django     []string // DJANGO_SETTINGS_MODULE, of pytest-django
}

// configNames are the files pytest looks for in each folder, in its order.
var configNames = []string{"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"}

// readConfig finds the ini file as pytest does when it is started in dir (rel):
// in dir, then up to the root of the tree (abs).
func readConfig(root, dir string) (config, error) {
	for at := path.Clean(dir); ; at = path.Dir(at) {
		for _, name := range configNames {
			rel := path.Join(at, name)
			text, err := plain.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return config{}, fmt.Errorf("read %s: %w", rel, err)
			}
			values, ok, err := pytestSection(name, text)
			if err != nil {
				return config{}, fmt.Errorf("read %s: %w", rel, err)
			}
			if ok {
				return newConfig(rel, values), nil
			}
		}
		if at == "." || at == "/" {
			return newConfig("", nil), nil
		}
	}
}

func newConfig(file string, values map[string][]string) config {
	c := config{file: file, testpaths: values["testpaths"], files: values["python_files"],
		norecurse: values["norecursedirs"], pythonpath: values["pythonpath"], addopts: values["addopts"],
		django: values["DJANGO_SETTINGS_MODULE"]}
	if c.files == nil {
		c.files = []string{"test_*.py", "*_test.py"}
	}
	if c.norecurse == nil {
		c.norecurse = []string{"*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"}
	}
	return c
}

// pytestSection reads the part of a file that pytest reads; ok is false when
// the file holds none.
func pytestSection(name string, text []byte) (map[string][]string, bool, error) {
	switch name {
	case "pytest.toml", ".pytest.toml", "pyproject.toml":
		var doc struct {
			Pytest map[string]any `toml:"pytest"`
			Tool   struct {
				Pytest map[string]any `toml:"pytest"`
			} `toml:"tool"`
		}
		meta, err := toml.Decode(string(text), &doc)
		if err != nil {
			return nil, false, err
		}
		if name != "pyproject.toml" {
			// An empty file counts, one of something else does not: pytest
			// ends with an error where it meets that.
			return lists(doc.Pytest), doc.Pytest != nil || len(meta.Keys()) == 0, nil
		}
		if ini, ok := doc.Tool.Pytest["ini_options"].(map[string]any); ok {
			return lists(ini), true, nil
		}
		return lists(doc.Tool.Pytest), len(doc.Tool.Pytest) > 0, nil
	}
	section := "pytest"
	if name == "setup.cfg" {
		section = "tool:pytest"
	}
	values, ok := parseINI(text)[section]
	out := map[string][]string{}
	for k, v := range values {
		out[k] = words(v)
	}
	return out, ok || name == "pytest.ini" || name == ".pytest.ini", nil
}

// lists makes every value a list of words.
func lists(values map[string]any) map[string][]string {
	out := map[string][]string{}
	for k, v := range values {
		switch v := v.(type) {
		case string:
			out[k] = words(v)
		case []any:
			out[k] = []string{}
			for _, e := range v {
				if s, ok := e.(string); ok {
					out[k] = append(out[k], s)
				}
			}
		}
	}
	return out
}

// parseINI reads an ini file as Python's iniconfig does: a line that begins
// with white space goes on with the value above it.
func parseINI(text []byte) map[string]map[string]string {
	out := map[string]map[string]string{}
	section, key := "", ""
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		line = strings.TrimRight(line, " \t\r\n")
		body := strings.TrimLeft(line, " \t")
		switch {
		case body == "" || body[0] == '#' || body[0] == ';':
		case body != line && key != "":
			out[section][key] += "\n" + body
		case body[0] == '[' && strings.Contains(body, "]"):
			section, key = strings.TrimSpace(body[1:strings.IndexByte(body, ']')]), ""
			if out[section] == nil {
				out[section] = map[string]string{}
			}
		case section != "":
			at := strings.IndexAny(body, "=:")
			if at < 0 {
				key = ""
				continue
			}
			key = strings.TrimSpace(body[:at])
			out[section][key] = strings.TrimSpace(body[at+1:])
		}
	}
	return out
}

// words splits a value as a shell would, as pytest does with its lists of
// arguments and paths.
func words(v string) []string {
	out := []string{}
	var b strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range v {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case quote != 0:
			switch {
			case r == quote:
				quote = 0
			case r == '\\' && quote == '"':
				escaped = true
			default:
				b.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '\\':
			escaped, inWord = true, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if inWord {
				out = append(out, b.String())
				b.Reset()
				inWord = false
			}
		default:
			b.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		out = append(out, b.String())
	}
	return out
}

package pytest

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"regreen/internal/runner"
)

// readers are the beginnings of options of plugins that read the files in which
// many programs are set up.
var readers = []string{"--cov", "--mypy", "--flake8", "--pylint", "--isort", "--pycodestyle", "--pydocstyle", "--pep8", "--pep257", "--black", "--ruff", "--codestyle"}

// unread tells which of the files that pytest looks for its settings in mean
// nothing to it: it takes the first that has any. Since 9.0 (its issue 13330) pytest
// parses those that it would come to later in the same folder too, to say that it
// leaves them out, so they must parse. What else reads them (setuptools, tox, linters) has no part in
// a run. A text that sets pytest up, or names a plugin of its own, counts wherever
// it is: before or after the change it may be the one that is taken.
func (l *layout) unread(p runner.Project) func(file string, text []byte) bool {
	given := slices.Concat(l.config.addopts, p.Args)
	known := l.config.file != "" && l.coverage == "" && l.uncertain == "" && !hasOption(p.Args, "-c", "--config-file", "--rootdir") &&
		!slices.ContainsFunc(given, func(arg string) bool {
			return slices.ContainsFunc(readers, func(r string) bool { return strings.HasPrefix(arg, r) })
		})
	major, err := strconv.Atoi(strings.SplitN(p.Version, ".", 2)[0])
	parses := err != nil || major >= 9
	return func(file string, text []byte) bool {
		if !known || !slices.Contains([]string{"tox.ini", "setup.cfg"}, path.Base(file)) {
			return false
		}
		for _, word := range []string{"[pytest]", "[tool:pytest]", "pytest11"} {
			if bytes.Contains(text, []byte(word)) {
				return false
			}
		}
		return l.after(file) && (!parses || soundINI(text))
	}
}

// after tells whether pytest would look at a file later than at the one that it
// takes: it goes through the names in each folder, and then to the one above.
func (l *layout) after(file string) bool {
	taken, dir := path.Dir(l.config.file), path.Dir(file)
	if dir == taken {
		return slices.Index(configNames, path.Base(file)) > slices.Index(configNames, path.Base(l.config.file))
	}
	return within(taken, dir)
}

// soundINI tells whether Python's iniconfig surely parses a text: sections and
// names once each, and lines that go on with a value only after one.
func soundINI(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	sections, names, value := map[string]bool{}, map[string]bool{}, false
	for line := range strings.Lines(string(text)) {
		body := strings.TrimRight(line, " \t\r\n")
		first := strings.TrimLeft(body, " \t")
		switch {
		case first == "" || first[0] == '#' || first[0] == ';':
		case first != body:
			if !value {
				return false
			}
		case body[0] == '[':
			name, ok := strings.CutSuffix(body[1:], "]")
			if !ok || name == "" || strings.ContainsAny(name, "[]#;") || sections[name] {
				return false
			}
			sections[name], names, value = true, map[string]bool{}, false
		default:
			at := strings.IndexAny(body, "=:")
			if at < 1 || len(sections) == 0 {
				return false
			}
			name := strings.TrimSpace(body[:at])
			if names[name] {
				return false
			}
			names[name], value = true, true
		}
	}
	return true
}

package lock

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

func yarn(src []byte) (*File, error) {
	if bytes.Contains(src, []byte("__metadata:")) {
		return berry(src)
	}
	return classic(src)
}

// classic reads yarn 1's own format: an entry's line without indentation lists
// its descriptors, two spaces its fields, four its dependencies.
func classic(src []byte) (*File, error) {
	f := newFile("js")
	var heads []string
	var content string
	var needs []string
	flush := func() error {
		for _, h := range heads {
			name := descriptor(h)
			if name == "" {
				return fmt.Errorf("%q is no package", h)
			}
			f.add(name, h+" "+content, needs...)
		}
		heads, content, needs = nil, "", nil
		return nil
	}
	lines := bufio.NewScanner(bytes.NewReader(src))
	lines.Buffer(nil, 1<<20)
	inDeps := false
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), " \r")
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case indent == 0:
			if err := flush(); err != nil {
				return nil, err
			}
			if !strings.HasSuffix(line, ":") {
				return nil, fmt.Errorf("%q is not a line of a lock file", line)
			}
			for _, h := range strings.Split(strings.TrimSuffix(line, ":"), ",") {
				heads = append(heads, strings.Trim(strings.TrimSpace(h), `"`))
			}
		case len(heads) == 0:
			return nil, fmt.Errorf("%q is outside of an entry", line)
		case indent == 2:
			key, value, _ := strings.Cut(trimmed, " ")
			inDeps = key == "dependencies:" || key == "optionalDependencies:"
			switch key {
			case "version", "integrity":
				content += " " + strings.Trim(value, `"`)
			case "resolved": // the host is where it came from, not what it is
				_, hash, _ := strings.Cut(strings.Trim(value, `"`), "#")
				content += " " + hash
			}
		case inDeps:
			name, _, _ := strings.Cut(strings.TrimPrefix(trimmed, `"`), `"`)
			name, _, _ = strings.Cut(name, " ")
			needs = append(needs, name)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return f, flush()
}

// berryEntry is an entry of yarn 2 and later.
type berryEntry struct {
	Version      string            `yaml:"version"`
	Resolution   string            `yaml:"resolution"`
	Checksum     string            `yaml:"checksum"`
	Dependencies map[string]string `yaml:"dependencies"`
	Peers        map[string]string `yaml:"peerDependencies"`
	LinkType     string            `yaml:"linkType"`
}

func berry(src []byte) (*File, error) {
	var doc map[string]berryEntry
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if len(doc) == 0 {
		return nil, errors.New("no entries")
	}
	f := newFile("js")
	for key, e := range doc {
		if key == "__metadata" {
			continue
		}
		for _, h := range strings.Split(key, ",") {
			h = strings.TrimSpace(h)
			name := descriptor(h)
			if name == "" {
				return nil, fmt.Errorf("%q is no package", h)
			}
			p := f.add(name, h+" "+e.Version+" "+e.Resolution+" "+e.Checksum, keys(e.Dependencies, e.Peers)...)
			p.Local = p.Local || e.LinkType == "soft"
		}
	}
	return f, nil
}

// descriptor is the name in name@range and @scope/name@range.
func descriptor(s string) string {
	at := strings.Index(s[min(1, len(s)):], "@")
	if at < 0 {
		return ""
	}
	return s[:at+1]
}

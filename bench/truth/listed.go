package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed truth_listed.py
var listedPlugin []byte

// folders are those of which the names differ from the commit: where a file came
// or went, or the nearest that was there before.
func (b *bench) folders(ctx context.Context) ([]string, error) {
	list, err := b.git(ctx, "status", "--porcelain", "-z", "-uall", "--no-renames")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, entry := range strings.Split(strings.TrimSuffix(list, "\x00"), "\x00") {
		if len(entry) < 4 || !strings.ContainsAny(entry[:2], "?D") {
			continue
		}
		dir := path.Dir(entry[3:])
		for dir != "." && !slices.ContainsFunc(b.files, func(f string) bool { return strings.HasPrefix(f, dir+"/") }) {
			dir = path.Dir(dir)
		}
		out = append(out, dir)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// judgeListed asks of the test files that somebody selected and that do not
// differ whether they list one of the folders: whether they differ where to list
// it throws. The tree is as it was committed.
func (b *bench) judgeListed(ctx context.Context, m *measured, folders []string) error {
	if b.start.Framework != "pytest" || len(folders) == 0 {
		return nil
	}
	plugin := filepath.Join(b.scratch, "plugin")
	if err := os.MkdirAll(plugin, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(plugin, "truth_listed.py"), listedPlugin, 0o600); err != nil {
		return err
	}
	var abs []string
	for _, dir := range folders {
		abs = append(abs, filepath.Join(b.root, filepath.FromSlash(dir)))
	}
	c := *b
	c.alone = results{}
	c.environ = append(slices.Clone(b.environ), "PYTEST_PLUGINS=truth_listed", "PYTHONPATH="+plugin,
		"TRUTH_ROOT="+b.root, "TRUTH_LISTED="+strings.Join(abs, string(filepath.ListSeparator)))
	for _, f := range m.Alone {
		key := fmt.Sprintf("%q %q", f, folders)
		lists, known := b.lists[key]
		if !known {
			usual, err := b.byItself(ctx, f)
			if err != nil {
				return err
			}
			said, err := c.byItself(ctx, f)
			if err != nil {
				return err
			}
			lists = said != usual
			b.lists[key] = lists
		}
		if lists {
			m.Listing = append(m.Listing, f)
		}
	}
	return nil
}

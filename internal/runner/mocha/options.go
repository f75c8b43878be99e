package mocha

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

//go:embed options.cjs
var optionsSource []byte

// options are a project's own, as mocha merges them.
type options struct {
	Options map[string]json.RawMessage `json:"options"`
	Spec    []string                   `json:"spec"`
	Files   []string                   `json:"files"` // abs
	Config  string                     `json:"config"`
}

// ask reads the options with mocha's own loader.
func ask(ctx context.Context, env runner.Env, p runner.Project) (*options, error) {
	cmd, err := node.Command(env, p)
	if err != nil {
		return nil, err
	}
	bin := cmd[len(cmd)-1]
	if real, err := filepath.EvalSymlinks(bin); err == nil {
		bin = real
	}
	var o options
	args := append([]string{filepath.Dir(filepath.Dir(bin))}, p.Args...)
	if err := node.Ask(ctx, env, p, "regreen-mocha-options.cjs", optionsSource, args, &o); err != nil {
		return nil, err
	}
	return &o, nil
}

// nodeFlags are the flags that the options hand to node, as on its command line.
func (o *options) nodeFlags() []string {
	var out []string
	for _, f := range strs(o.Options["node-option"]) {
		out = append(out, "--"+f)
	}
	for _, name := range []string{"import", "loader", "experimental-loader", "env-file", "env-file-if-exists"} {
		for _, f := range strs(o.Options[name]) {
			out = append(out, "--"+name+"="+f)
		}
	}
	return out
}

// dropped are options that would change what a run reports or keep it from
// ending.
var dropped = []string{
	"watch", "watch-files", "watch-ignore", "bail", "parallel", "jobs", "reporter", "reporter-option", "reporter-options",
	"forbid-only", "forbid-pending", "fail-zero", "pass-on-failing-test-suite", "dry-run", "list-interfaces",
	"list-reporters", "inspect", "inspect-brk", "inspect-wait", "color", "colors", "no-colors", "inline-diffs",
	"allow-uncaught", "clear-screen", "config", "package", "help", "version", "full-trace", "fail-hook-affected-tests",
}

// write puts the configuration of one run into dir and gives the arguments
// that have mocha use it and nothing else.
func (o *options) write(dir, helper, reporter string, spec []string, narrow string) ([]string, error) {
	c := maps.Clone(o.Options)
	if c == nil {
		c = map[string]json.RawMessage{}
	}
	for _, k := range dropped {
		delete(c, k)
	}
	required := []any{helper}
	var own []any
	if json.Unmarshal(c["require"], &own) == nil {
		required = append(required, own...)
	} else if one := ""; json.Unmarshal(c["require"], &one) == nil && one != "" {
		required = append(required, one)
	}
	set := map[string]any{"require": required, "reporter": reporter, "full-trace": true, "color": false, "spec": spec}
	if narrow != "" {
		for _, k := range []string{"fgrep", "invert"} {
			delete(c, k)
		}
		set["grep"] = narrow
	}
	for k, v := range set {
		src, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("encode mocha's option %s: %w", k, err)
		}
		c[k] = src
	}
	src, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode mocha's options: %w", err)
	}
	config, pkg := filepath.Join(dir, "mocharc.json"), filepath.Join(dir, "package.json")
	for file, text := range map[string][]byte{config: src, pkg: []byte("{}\n")} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, fmt.Errorf("write mocha's options: %w", err)
		}
	}
	return []string{"--config", config, "--package", pkg}, nil
}

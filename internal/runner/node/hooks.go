package node

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/runner"
)

// hookFlags are the flags by which node loads a file before the program.
var hookFlags = []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "--env-file-if-exists"}

// Hooks are the files (abs) that node itself loads before a project's
// framework, by flags of the command, NODE_OPTIONS or more flags. Packages are
// not among them.
func Hooks(env runner.Env, p runner.Project, more ...string) []string {
	var flags []string
	if len(p.Command) > 2 {
		flags = append(flags, p.Command[1:len(p.Command)-1]...)
	}
	for _, kv := range append(slices.Clone(env.Environ), "NODE_OPTIONS="+p.Env["NODE_OPTIONS"]) {
		if v, ok := strings.CutPrefix(kv, "NODE_OPTIONS="); ok {
			flags = append(flags, strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(v))...)
		}
	}
	flags = append(flags, more...)
	var out []string
	for i, f := range flags {
		name, value, glued := strings.Cut(f, "=")
		if !slices.Contains(hookFlags, name) {
			continue
		}
		if !glued && i+1 < len(flags) {
			value = flags[i+1]
		}
		value = strings.TrimPrefix(value, "file://")
		if !strings.HasPrefix(value, ".") && !filepath.IsAbs(value) && !strings.HasPrefix(name, "--env-file") {
			continue
		}
		if !filepath.IsAbs(value) {
			value = filepath.Join(Dir(env, p), filepath.FromSlash(value))
		}
		for _, ending := range []string{"", ".js", ".cjs", ".mjs", ".ts", "/index.js"} {
			if st, err := os.Stat(value + ending); err == nil && st.Mode().IsRegular() {
				out = append(out, value+ending)
				break
			}
		}
	}
	return out
}

package node

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// valued are flags of node that take the next word as their value.
var valued = []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions",
	"--env-file", "--env-file-if-exists", "--stack-trace-limit", "--max-old-space-size", "--input-type", "--title", "--icu-data-dir"}

// command looks through wrappers to what a command really starts.
func (w *walker) command(dir string, env map[string]string, words []word) {
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	for range 20 {
		if len(words) == 0 {
			return
		}
		name := program(words[0].text)
		rest := words[1:]
		switch name {
		case "cross-env", "env", "sudo", "command", "exec", "time":
			words = assignments(env, rest)
		case "cross-env-shell":
			for _, x := range assignments(env, rest) {
				w.shell(dir, x.text, env, nil)
			}
			return
		case "sh", "bash", "zsh", "dash":
			for i, x := range rest {
				if strings.HasPrefix(x.text, "-") && strings.HasSuffix(x.text, "c") && i+1 < len(rest) {
					w.shell(dir, rest[i+1].text, env, nil)
				}
			}
			return
		case "dotenv", "dotenvx", "env-cmd", "dotenv-run-script":
			words = w.dotenv(dir, env, rest)
		case "npx", "bunx", "pnpx":
			next, inner := skipFlags(rest, "-p", "--package", "-c", "--call")
			if inner != "" {
				w.shell(dir, inner, env, nil)
				return
			}
			words = next
		case "npm", "pnpm", "yarn", "yarnpkg", "bun", "cnpm":
			words = w.manager(name, dir, env, rest)
		case "npm-run-all", "npm-run-all2", "run-s", "run-p":
			w.runAll(dir, env, rest)
			return
		case "concurrently", "conc":
			for _, x := range rest {
				if script, ok := strings.CutPrefix(x.text, "npm:"); ok {
					w.named(dir, script, env)
				} else if strings.Contains(x.text, " ") {
					w.shell(dir, x.text, env, nil)
				}
			}
			return
		case "turbo", "lerna", "nx", "wsrun", "ultra", "moon":
			w.delegate(dir, env, rest)
			return
		case "node", "nodejs", "tsx", "ts-node", "babel-node", "esmo":
			w.node(name, dir, env, rest)
			return
		default:
			if slices.Contains(w.spec.Bins, name) {
				w.invoke(dir, env, nil, rest)
				return
			}
			if !wraps(name) {
				return
			}
			words = w.wrapped(rest)
		}
	}
}

// program is a command's name without folders and Windows suffixes.
func program(text string) string {
	name := path.Base(strings.ReplaceAll(text, `\`, "/"))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".cmd"), ".ps1")
}

// wraps tells commands that start the rest of their words.
func wraps(name string) bool {
	return slices.Contains([]string{"c8", "nyc", "nice", "timeout", "xvfb-run", "istanbul", "stdbuf", "retry", "infisical",
		"op", "doppler", "wait-for-it", "start-server-and-test", "firebase", "opencollective", "0x", "clinic", "nodemon",
		"aegir", "env-or", "percy", "cross-os", "better-npm-run", "monocart", "dotenvx", "with-env", "ttab", "vite-node"}, name)
}

// wrapped finds in the words of a wrapper the first that it can be starting.
func (w *walker) wrapped(words []word) []word {
	known := append([]string{"node", "npx", "npm", "pnpm", "yarn", "cross-env", "env", "sh", "bash", "_mocha"}, w.spec.Bins...)
	for i, x := range words {
		if !strings.HasPrefix(x.text, "-") && slices.Contains(known, program(x.text)) {
			return words[i:]
		}
		if strings.Contains(x.text, "node_modules/") && !strings.HasPrefix(x.text, "-") {
			return words[i:]
		}
	}
	return nil
}

// assignments takes leading NAME=value words into env.
func assignments(env map[string]string, words []word) []word {
	for i, x := range words {
		k, v, ok := strings.Cut(x.text, "=")
		if ok && k != "" && !strings.HasPrefix(k, "-") && !strings.ContainsAny(k, "/ ") {
			env[k] = v
			continue
		}
		if strings.HasPrefix(x.text, "-") {
			continue
		}
		return words[i:]
	}
	return nil
}

// skipFlags drops leading flags; call is the value of -c, if any.
func skipFlags(words []word, takesValue ...string) (rest []word, call string) {
	for i := 0; i < len(words); i++ {
		t := words[i].text
		if t == "--" {
			return words[i+1:], ""
		}
		if !strings.HasPrefix(t, "-") {
			return words[i:], ""
		}
		if slices.Contains(takesValue, t) && i+1 < len(words) {
			i++
			if t == "-c" || t == "--call" {
				return nil, words[i].text
			}
		}
	}
	return nil, ""
}

// node reads an explicit node with its flags and the script that it starts.
func (w *walker) node(name, dir string, env map[string]string, words []word) {
	var flags []string
	for i := 0; i < len(words); i++ {
		t := words[i].text
		if t == "--test" || strings.HasPrefix(t, "--test-") {
			return
		}
		if strings.HasPrefix(t, "-") {
			flags = append(flags, t)
			if slices.Contains(valued, t) && i+1 < len(words) {
				i++
				flags = append(flags, words[i].text)
			}
			continue
		}
		if !w.isBin(dir, t) {
			return
		}
		if name == "tsx" {
			flags = append(flags, "--import", "tsx")
		}
		w.invoke(dir, env, flags, words[i+1:])
		return
	}
}

// isBin tells whether a script's path is the framework's own program.
func (w *walker) isBin(dir, text string) bool {
	p := path.Clean(strings.ReplaceAll(text, `\`, "/"))
	i := strings.LastIndex(p, "node_modules/")
	if i < 0 {
		return false
	}
	p = p[i+len("node_modules/"):]
	if bin, ok := strings.CutPrefix(p, ".bin/"); ok {
		return slices.Contains(w.spec.Bins, program(bin))
	}
	return slices.ContainsFunc(w.spec.Packages, func(pkg string) bool { return strings.HasPrefix(p, pkg+"/") })
}

func (w *walker) invoke(dir string, env map[string]string, nodeArgs []string, words []word) {
	var args []string
	for _, x := range words {
		args = append(args, x.text)
	}
	if w.spec.Skip != nil && w.spec.Skip(args) {
		return
	}
	if dir = path.Clean(dir); dir == ".." || strings.HasPrefix(dir, "../") {
		return
	}
	if len(env) == 0 {
		env = nil
	}
	w.out = append(w.out, invocation{dir: dir, env: env, nodeArgs: nodeArgs, args: args})
}

// dotenv reads dotenv-cli and its kin: the variables of the files that it
// names (".env" by default) and the command after them.
func (w *walker) dotenv(dir string, env map[string]string, words []word) []word {
	files := []string{}
	i := 0
loop:
	for ; i < len(words); i++ {
		t := words[i].text
		switch {
		case t == "--":
			i++
			break loop
		case t == "run":
		case (t == "-e" || t == "-f" || t == "--file" || t == "--env-file") && i+1 < len(words):
			i++
			files = append(files, words[i].text)
		case (t == "-v" || t == "-c") && i+1 < len(words) && t == "-v":
			i++
			if k, v, ok := strings.Cut(words[i].text, "="); ok {
				env[k] = v
			}
		case strings.HasPrefix(t, "-"):
		default:
			break loop
		}
	}
	if len(files) == 0 {
		files = []string{".env"}
	}
	for _, f := range files {
		src, err := w.repo.read(path.Join(dir, f))
		if err != nil {
			continue
		}
		for k, v := range parseDotenv(string(src)) {
			if _, set := env[k]; !set {
				env[k] = v
			}
		}
	}
	if i >= len(words) {
		return nil
	}
	return words[i:]
}

// parseDotenv reads the plain part of the format: KEY=value lines, comments,
// quotes, an export prefix.
func parseDotenv(src string) map[string]string {
	out := map[string]string{}
	for _, line := range strings.Split(src, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		k, v, ok := strings.Cut(line, "=")
		if k = strings.TrimSpace(k); !ok || k == "" || strings.HasPrefix(k, "#") {
			continue
		}
		v = strings.TrimSpace(v)
		if n := len(v); n >= 2 && (v[0] == '"' || v[0] == '\'') && strings.IndexByte(v[1:], v[0]) >= 0 {
			v = v[1 : 1+strings.IndexByte(v[1:], v[0])]
		} else if j := strings.Index(v, " #"); j >= 0 {
			v = strings.TrimSpace(v[:j])
		}
		out[k] = v
	}
	return out
}

// wireit gives the command behind a script that hands over to wireit.
func wireit(m *manifest, name string) string {
	var entry struct{ Command string }
	_ = json.Unmarshal(object(m.raw["wireit"])[name], &entry)
	return entry.Command
}

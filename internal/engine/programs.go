package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"regreen/cycle"
	"regreen/fixers"
	"regreen/fixers/chat"
	"regreen/fixers/command"
	"regreen/internal/runner/node"
	"regreen/internal/sandbox"
	"regreen/internal/secret"
)

// programs are the configured command fixers, and the chat fixer. One whose program is not there
// is left out, and said.
func (e *Engine) programs(secrets *secret.Redactor) []cycle.Program {
	var out []cycle.Program
	for _, c := range e.opts.Config.Fixers.Command {
		if slices.Contains(e.opts.Config.Fixers.Disabled, c.Name) {
			continue
		}
		program, err := e.findProgram(c.Command[0])
		if err != nil {
			e.warnings = append(e.warnings, fmt.Sprintf("the command fixer %s is left out: %v", c.Name, err))
			continue
		}
		out = append(out, command.New(c, program, e.opts.Environ, host{e.box}))
	}
	cfg := e.opts.Config.Fixers.Chat
	if cfg.URL == "" || slices.Contains(e.opts.Config.Fixers.Disabled, chat.Name) {
		return out
	}
	key := e.variable(cfg.KeyEnv)
	if cfg.KeyEnv != "" && key == "" {
		e.warnings = append(e.warnings, "the chat fixer is left out: the variable "+cfg.KeyEnv+" is not set")
		return out
	}
	return append(out, chat.New(cfg, key, secrets, nil))
}

// variable reads the user's environment.
func (e *Engine) variable(name string) string {
	for _, kv := range slices.Backward(e.opts.Environ) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// findProgram gives an absolute path, or one from the root for a program of
// the project's own.
func (e *Engine) findProgram(name string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		_, err := os.Stat(name)
		return name, err
	case !strings.ContainsAny(name, `/\`):
		return node.LookPath(e.opts.Environ, name)
	}
	_, err := os.Stat(filepath.Join(e.box.Origin(), filepath.FromSlash(name)))
	return name, err
}

// secrets knows what a program may have read and nobody else may: the
// variables that are passed to it, and the values of environment files.
func (e *Engine) secrets() *secret.Redactor {
	values := []string{e.variable(e.opts.Config.Fixers.Chat.KeyEnv)}
	for _, c := range e.opts.Config.Fixers.Command {
		for _, name := range c.Env {
			if name != "HOME" && name != "PATH" {
				values = append(values, e.variable(name))
			}
		}
	}
	dirs := []string{"."}
	for _, p := range e.projects {
		dirs = append(dirs, p.Root)
	}
	for _, dir := range dirs {
		names, _ := filepath.Glob(filepath.Join(e.box.Origin(), filepath.FromSlash(dir), ".env*"))
		for _, name := range names {
			if src, err := os.ReadFile(name); err == nil && len(src) < 1<<20 {
				values = append(values, secret.Values(src)...)
			}
		}
	}
	return secret.New(values...)
}

// host lets a program into a copy of the sandbox.
type host struct{ s *sandbox.Sandbox }

// Visit is the sandbox's, in the words of the fixers.
func (h host) Visit(ctx context.Context, v command.Visit) (*command.Done, error) {
	visit, err := h.s.Visit(ctx, sandbox.Guest{Cmd: v.Cmd, Args: v.Args, Files: v.Files, Home: v.Home, KeepHome: v.KeepHome, Network: v.Network,
		MaxFiles: v.MaxFiles, MaxBytes: v.MaxBytes})
	if err != nil {
		return nil, err
	}
	d := &command.Done{Exit: visit.Exit, Files: visit.Files, Excess: visit.Excess, Notes: visit.Notes}
	for _, c := range visit.Changes {
		d.Whole = append(d.Whole, fixers.Whole{File: c.Path, Before: c.Before, After: c.After, Created: c.Op == sandbox.Create,
			Deleted: c.Op == sandbox.Delete, BeforeMode: c.BeforeMode, Mode: c.Mode})
	}
	if h.s.Level() == "copy" {
		d.Doubt = "at the isolation level copy nothing walls a program off, so what it made is only proposed"
	}
	return d, nil
}

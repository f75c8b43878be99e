package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/editor"
	"regreen/internal/service"
)

func (a *app) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook EDITOR",
		Short: "Print a configuration for an editor, a git hook or a service",
		Long: `Print a ready configuration that makes an editor run regreen after a save, with
where to put it in its first lines. Editors: ` + strings.Join(editor.Names(), ", ") + `.`,
		Example: "  regreen hook vim > ~/.vim/plugin/regreen.vim\n  regreen hook vscode",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if _, ok := editor.Find(args[0]); ok {
					return nil
				}
			}
			return unknownHook(args)
		},
		ValidArgs: editor.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			e, _ := editor.Find(args[0])
			text, err := e.Config(a.program())
			if err != nil {
				return err
			}
			a.printText(e.Name, e.Path, text)
			return nil
		},
	}
	cmd.AddCommand(a.gitHookCommand(),
		a.serviceCommand("systemd", "Print a user unit that watches this repository", service.Service.Systemd),
		a.serviceCommand("launchd", "Print a user agent that watches this repository", service.Service.Launchd))
	return cmd
}

// hooks are the subcommands beside the editors.
func hooks() []string { return []string{"git", "systemd", "launchd"} }

func unknownHook(args []string) error {
	words := append(editor.Names(), hooks()...)
	slices.Sort(words)
	hint := "valid: " + strings.Join(words, ", ")
	if len(args) != 1 {
		return usage(hint, "hook wants one editor")
	}
	if near, ok := config.Nearest(args[0], words); ok {
		hint = "did you mean " + near + "? " + hint
	}
	return usage(hint, "unknown editor %q", args[0])
}

// printText prints a configuration; path is where it goes.
func (a *app) printText(name, path, text string) {
	if a.flags.json {
		a.printJSON(struct {
			Schema int            `json:"schema"`
			Name   string         `json:"name"`
			Path   string         `json:"path"`
			Text   string         `json:"text"`
			Error  *cycle.Problem `json:"error"`
		}{cycle.Schema, name, path, text, nil})
		return
	}
	fmt.Fprint(a.stdout, text)
}

// program is how a configuration has to name this program: by its name where
// that finds it, else by its path.
func (a *app) program() string {
	self, err := a.self()
	if err != nil {
		return "regreen"
	}
	if found, err := lookPath(a.environ, "regreen"); err == nil {
		one, errOne := os.Stat(found)
		other, errOther := os.Stat(self)
		if errOne == nil && errOther == nil && os.SameFile(one, other) {
			return "regreen"
		}
	}
	return self
}

// self is the path of this program.
func (a *app) self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the program: %w", err)
	}
	return filepath.Clean(path), nil
}

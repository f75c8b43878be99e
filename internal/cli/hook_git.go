package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/editor"
	"regreen/internal/git"
	"regreen/internal/githook"
	"regreen/internal/service"
)

type gitHookFlags struct {
	hook          string
	remove, print bool
}

func (a *app) gitHookCommand() *cobra.Command {
	var f gitHookFlags
	cmd := &cobra.Command{
		Use:   "git",
		Short: "Check before a commit or push, with a block in git's hook",
		Long: `Write a marked block into a git hook, which runs the tests that your changes can
affect and stops the commit or push while they fail. Nothing is merged by it: a
proved repair waits for regreen apply. What is tested are the files as they are,
not the index. --remove takes exactly the block away.

The hook is where core.hooksPath says, or husky. Where lefthook or pre-commit
write the hooks, what to add to their configuration is printed instead.`,
		Example: "  regreen hook git\n  regreen hook git --hook pre-push\n  regreen hook git --remove",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.gitHook(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.hook, "hook", "pre-commit", "the hook: "+strings.Join(githook.Names(), " or "))
	fl.BoolVar(&f.remove, "remove", false, "take the block away")
	fl.BoolVar(&f.print, "print", false, "print the block and write nothing")
	return cmd
}

// hookResult is what `hook git --json` prints.
type hookResult struct {
	Schema int    `json:"schema"`
	Name   string `json:"name"`
	Hook   string `json:"hook"`
	Path   string `json:"path"`
	// Status is installed, unchanged, removed, nothing or printed.
	Status string         `json:"status"`
	Text   string         `json:"text"` // of printed
	Error  *cycle.Problem `json:"error"`
}

func (a *app) gitHook(ctx context.Context, f gitHookFlags) error {
	names := githook.Names()
	switch {
	case !slices.Contains(names, f.hook):
		hint := "hooks: " + strings.Join(names, ", ")
		if near, ok := config.Nearest(f.hook, names); ok {
			hint = "did you mean " + near + "?"
		}
		return usage(hint, "there is no block for the hook %q", f.hook)
	case f.remove && f.print:
		return usage("give one of the two", "--remove and --print contradict each other")
	}
	out := hookResult{Schema: cycle.Schema, Name: "git", Hook: f.hook, Status: "printed"}
	if f.print {
		out.Text = githook.Block(f.hook, editor.Shell(a.program()))
		return a.toldHook(out)
	}
	p, err := a.hookPlace(ctx, f.hook)
	if err != nil {
		return err
	}
	out.Path = p.Path
	if p.Manager == githook.Lefthook || p.Manager == githook.PreCommit {
		_, out.Text = githook.Snippet(p.Manager, f.hook, "regreen")
		if !a.flags.quiet {
			does := "add this to " + p.Path
			if f.remove {
				does = "take this out of " + p.Path
			}
			fmt.Fprintf(a.stderr, "regreen: %s writes the hooks here; %s\n", p.Manager, does)
		}
		return a.toldHook(out)
	}
	src, runs, err := githook.Read(p.Path)
	if err != nil {
		return err
	}
	if f.remove {
		rest, had := githook.Remove(src)
		if out.Status = "nothing"; had {
			out.Status = "removed"
			err = githook.Write(p.Path, rest)
		}
		return errors.Join(err, a.toldHook(out))
	}
	program := editor.Shell(a.program())
	if p.Manager == githook.Husky {
		program = "regreen" // the file is committed: others have it elsewhere
	}
	with, err := githook.Insert(src, githook.Block(f.hook, program))
	if errors.Is(err, githook.ErrNotShell) {
		return usage("regreen hook git --print shows what the hook has to do", "%s is not a shell script", p.Path)
	}
	if out.Status = "unchanged"; err == nil && !bytes.Equal(src, with) {
		out.Status = "installed"
		err = githook.Write(p.Path, with)
	}
	if err == nil && !runs && !a.flags.quiet {
		fmt.Fprintf(a.stderr, "regreen: warning: git does not run %s: it is not executable (chmod +x)\n", p.Path)
	}
	if err != nil {
		return err
	}
	return a.toldHook(out)
}

func (a *app) toldHook(r hookResult) error {
	switch {
	case a.flags.json:
		a.printJSON(r)
	case r.Status == "printed":
		fmt.Fprint(a.stdout, r.Text)
	case r.Status == "nothing":
		fmt.Fprintf(a.stdout, "%s has no block of regreen\n", r.Path)
	default:
		fmt.Fprintf(a.stdout, "%s: %s\n", r.Status, r.Path)
	}
	return nil
}

// hookPlace finds the hook's file. The repository's configuration is read, and
// never changed.
func (a *app) hookPlace(ctx context.Context, hook string) (githook.Place, error) {
	repo, err := git.Open(ctx, a.dir, a.environ)
	if err != nil {
		return githook.Place{}, err
	}
	hooksPath, err := repo.HooksPath(ctx)
	if err != nil {
		return githook.Place{}, errors.Join(err, repo.Close())
	}
	p, err := githook.Locate(repo.Root(), repo.CommonDir(), hooksPath, hook)
	var shared *githook.SharedError
	if errors.As(err, &shared) {
		err = usage("regreen hook git --print shows the block, to be added by hand", "%s", shared)
	}
	return p, errors.Join(err, repo.Close())
}

// serviceCommand is `hook systemd` or `hook launchd`.
func (a *app) serviceCommand(name, short string, of func(service.Service) (path, text string)) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := a.deps.Root(cmd.Context(), a.dir, a.environ)
			if err != nil {
				return err
			}
			self, err := a.self()
			if err != nil {
				return err
			}
			path, text := of(service.Service{Program: self, Root: filepath.Clean(root), Environ: service.Needs(a.environ)})
			a.printText(name, path, text)
			return nil
		},
	}
}

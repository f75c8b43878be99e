package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/daemon"
)

func (a *app) saveCommand() *cobra.Command {
	var o saveOptions
	cmd := &cobra.Command{
		Use:   "save FILE...",
		Short: "Tell the daemon of a save, from an editor's save hook",
		Long: `Tell the daemon that files were saved, and return at once; without a daemon
nothing happens. With --wait the verdict is waited for and printed as
file:line:column: severity: message [kind], and without a daemon one cycle runs
here. The files say which repository it is, wherever the command runs.

Standard output is for error lists: places are read against the working folder,
and absolute where that is outside the repository. What was repaired, how to
undo it and the verdict go to standard error.`,
		Example: "  regreen save src/cart.ts\n  regreen save --wait src/cart.ts",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.save(cmd.Context(), args, o)
		},
	}
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait for the verdict")
	cmd.Flags().BoolVar(&o.absolute, "absolute", false, "print absolute paths")
	return cmd
}

type saveOptions struct{ wait, absolute bool }

// hookTime bounds a save hook that does not wait: an editor hangs as long.
const hookTime = 2 * time.Second

func (a *app) save(ctx context.Context, args []string, o saveOptions) error {
	root, err := a.rootOf(args[0])
	if err != nil {
		return err
	}
	files, err := a.files(Repo{Root: root}, args)
	if err != nil {
		return err
	}
	c := daemon.NewClient(socketPath(root, a.environ))
	defer c.Close()
	if !o.wait {
		ctx, cancel := context.WithTimeout(ctx, hookTime)
		defer cancel()
		if _, err := c.Save(ctx, files, false); err != nil && !noDaemon(err) {
			return err
		}
		return nil
	}
	doc, err := c.Save(ctx, files, true)
	if noDaemon(err) {
		var r Repo
		if r, err = a.openAt(ctx, root); err == nil {
			doc, err = a.deps.RunCycle(ctx, r, RunOptions{Files: files}, nil)
		}
	}
	if err != nil {
		return err
	}
	if doc == nil {
		return fmt.Errorf("the cycle gave no result")
	}
	a.exit = exitOf(ctx, doc)
	if a.flags.json {
		a.printJSON(normal(*doc))
		return nil
	}
	p := &printer{screen: a.screen(a.stdout)}
	for _, r := range doc.Remaining {
		p.line("%s", problemLine(r, func(rel string) string { return a.fromHere(root, rel, o.absolute) }))
	}
	if !a.flags.quiet {
		printNotes(a.screen(a.stderr), doc)
	}
	return nil
}

// rootOf finds the repository that a file is in. What is in none is measured
// against the working folder's.
func (a *app) rootOf(file string) (string, error) {
	there := filepath.Dir(resolved(a.abs(file)))
	for there != filepath.Dir(there) {
		if _, err := os.Stat(there); err == nil {
			break
		}
		there = filepath.Dir(there)
	}
	root, err := findRoot(there)
	if err != nil {
		return findRoot(a.dir)
	}
	return root, nil
}

// fromHere is a file of the repository as an editor has to read it from the
// working folder: relative to it inside the repository, else absolute.
func (a *app) fromHere(root, rel string, absolute bool) string {
	if filepath.IsAbs(rel) { // outside the repository, as the framework names it
		return rel
	}
	abs := filepath.Join(root, filepath.FromSlash(rel))
	here, err := filepath.EvalSymlinks(a.dir)
	if err != nil || absolute {
		return abs
	}
	if in, err := filepath.Rel(root, here); err != nil || !filepath.IsLocal(in) {
		return abs
	}
	if p, err := filepath.Rel(here, abs); err == nil {
		return p
	}
	return abs
}

// printNotes says beside the error list what a person should know. No line of
// it can be read as a failure: none holds ": error: " after its first word.
func printNotes(s screen, d *cycle.Document) {
	p := &printer{screen: s}
	if d.Error != nil {
		(&Problem{Message: d.Error.Message, Hint: d.Error.Hint}).report(s.w)
		return
	}
	if len(d.Merged) > 0 {
		for _, f := range keptFixes(d) {
			p.line("regreen: repaired: %s", noPlace(f.Title))
		}
		p.line("regreen: undo: regreen undo %s", d.Undo)
	}
	for _, pr := range d.Proposals {
		p.line("regreen: proposed: %s", noPlace(pr.Title+because(pr.Reason)))
		p.line("regreen: apply: regreen apply %s", pr.ID)
	}
	p.line("regreen: verdict: %s", noPlace(p.summary(d)))
}

// noPlace is text on one line that no problem matcher takes for a failure.
func noPlace(s string) string { return strings.ReplaceAll(oneLine(s), ": error: ", ", error: ") }

// problemLine is a failure in the form that problem matchers, errorformat and
// compilation-mode read.
func problemLine(r cycle.Remaining, path func(string) string) string {
	file, line, column := r.File, r.Line, r.Column
	if file == "" {
		file, line, column = r.Test.File, 1, 1
	}
	if file == "" {
		file = "regreen"
	} else {
		file = path(file)
	}
	return fmt.Sprintf("%s:%d:%d: error: %s [%s]", linePath(file), max(line, 1), max(column, 1), headline(r.Message, r.Symbol), r.Kind)
}

// linePath is a path as it has to stand on a line to be opened again: blanks
// stay as they are, only what would break the line or the terminal is replaced.
func linePath(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\ufffd'
		}
		return r
	}, path)
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say what the daemon is doing and what fails",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, root, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			s, err := c.Status(cmd.Context())
			if noDaemon(err) {
				s, err = a.stoppedStatus(cmd.Context(), root)
			}
			if err != nil {
				return err
			}
			if a.flags.json {
				s.Failing, s.Proposals, s.Misses = remainingList(s.Failing), list(s.Proposals), append([]cycle.Miss{}, s.Misses...)
				a.printJSON(s)
				return nil
			}
			printStatus(a.screen(a.stdout), s)
			return nil
		},
	}
}

// stopped is the state when nobody watches.
const stopped daemon.State = "stopped"

// stoppedStatus is what the history knows.
func (a *app) stoppedStatus(ctx context.Context, root string) (daemon.Status, error) {
	s := daemon.Status{Schema: cycle.Schema, State: stopped}
	r := Repo{Root: root, Dir: a.dir, Environ: a.environ, Log: a.logger()}
	var err error
	if s.Misses, err = a.deps.Misses(ctx, r); err != nil {
		return s, err
	}
	entries, err := a.deps.Log(ctx, r)
	if err != nil || len(entries) == 0 {
		return s, err
	}
	s.Outcome, s.Cycle, s.Undo = entries[0].Outcome, entries[0].ID, entries[0].Undo
	doc, err := a.deps.Show(ctx, r, s.Cycle)
	if err != nil {
		return s, err
	}
	s.Failing = doc.Remaining
	for _, p := range doc.Proposals {
		if p.ID != s.Undo { // else it is applied
			s.Proposals = append(s.Proposals, p.ID)
		}
	}
	return s, nil
}

func printStatus(sc screen, s daemon.Status) {
	p := &printer{screen: sc}
	line := string(s.State)
	if s.PID != 0 {
		line += fmt.Sprintf(" (process %d)", s.PID)
	}
	if s.Why != "" {
		line += ": " + oneLine(s.Why)
	}
	p.line("%s", line)
	if s.Outcome != "" {
		p.line("last cycle: %s %s", strings.ReplaceAll(string(s.Outcome), "_", " "), s.Cycle)
	}
	for _, r := range s.Failing {
		p.line("%s", problemLine(r, func(rel string) string { return rel }))
	}
	for _, m := range s.Misses {
		p.line("%s", oneLine(m.String()))
		p.line("  %s", missHint(m))
	}
	for _, id := range s.Proposals {
		p.line("apply: regreen apply %s", id)
	}
	if s.Undo != "" {
		p.line("undo: regreen undo %s", s.Undo)
	}
}

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the daemon that watches this repository",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			err = c.Stop(cmd.Context())
			if noDaemon(err) {
				if !a.flags.quiet {
					fmt.Fprintln(a.stderr, "regreen: nobody watches this repository")
				}
				err = nil
			}
			if err == nil && a.flags.json {
				a.printJSON(struct {
					Schema int            `json:"schema"`
					Error  *cycle.Problem `json:"error"`
				}{Schema: cycle.Schema})
			}
			return err
		},
	}
}

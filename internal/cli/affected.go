package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"regreen/cycle"
)

func (a *app) affectedCommand() *cobra.Command {
	var o affectedFlags
	cmd := &cobra.Command{
		Use:   "affected [FILE...]",
		Short: "Name the modified files and the tests that can see them",
		Example: "  regreen affected --why\n" +
			"  regreen affected --why src/cart.ts test/cart.test.ts\n" +
			"  git diff --name-only --no-renames --relative -z HEAD~3 | regreen affected --stdin0 --base HEAD~3 --list\n" +
			"  regreen affected --base origin/main --list --null | xargs -0 -r npx vitest run",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.affected(cmd, args, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.why, "why", false, "show for each test the chain to a modified file; with paths: explain these")
	f.BoolVar(&o.list, "list", false, "print the tests' paths only, one a line")
	f.BoolVar(&o.null, "null", false, "with --list: end each path with a NUL byte instead of a line's end")
	f.BoolVar(&o.stdin0, "stdin0", false, "read the modified files from standard input, each ended by NUL, or a line each")
	f.StringVar(&o.base, "base", "", "modified files are those that differ from this revision")
	f.BoolVar(&o.all, "all", false, "name every test")
	f.BoolVar(&o.understood, "understood", false, "select again after an audit found a miss, for which all tests run")
	return cmd
}

type affectedFlags struct {
	why, list, null, stdin0, all, understood bool
	base                                     string
}

// check finds flags that contradict each other.
func (o affectedFlags) check(json bool, args []string) error {
	switch {
	case o.list && (o.why || json):
		return usage("give one of them", "--list cannot be joined with --why or --json")
	case o.null && !o.list:
		return usage("add --list", "--null is for --list")
	case o.stdin0 && len(args) > 0:
		return usage("give one of them", "--stdin0 cannot be joined with FILE arguments")
	}
	return nil
}

func (a *app) affected(cmd *cobra.Command, args []string, o affectedFlags) error {
	if err := o.check(a.flags.json, args); err != nil {
		return err
	}
	ctx := cmd.Context()
	r, err := a.open(ctx)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("base") {
		if o.base == "" {
			return usage("give a commit, branch or tag", "--base is empty")
		}
		r.Config.Affected.Base = o.base
	}
	if o.stdin0 {
		if args, err = readPaths(a.stdin); err != nil {
			return err
		}
	}
	files, err := a.files(r, args)
	if err != nil {
		return err
	}
	if o.understood {
		if err := a.deps.Understood(ctx, r); err != nil {
			return err
		}
	}
	ask := AffectedOptions{Files: files, All: o.all}
	if o.why && !o.stdin0 {
		ask.Files, ask.Explain, ask.All = nil, files, o.all && len(files) == 0
	}
	d := &AffectedDocument{}
	if !o.stdin0 || len(files) > 0 || o.all { // no files on standard input are no files
		if d, err = a.deps.Affected(ctx, r, ask); err != nil {
			return err
		}
	}
	switch {
	case a.flags.json:
		d.Schema = cycle.Schema
		d.ModifiedFiles = append([]string{}, d.ModifiedFiles...)
		d.AffectedTests = affectedList(d.AffectedTests)
		a.printJSON(d)
	case o.list:
		end := "\n"
		if o.null {
			end = "\x00"
		}
		for _, t := range d.AffectedTests {
			fmt.Fprint(a.stdout, t.File, end)
		}
	case len(ask.Explain) > 0:
		printExplained(a.screen(a.stdout), d.Explained, o.all)
	default:
		printAffected(a.screen(a.stdout), d, o.why)
	}
	return nil
}

// readPaths reads paths that end with NUL, as git -z writes them, or stand in
// a line each where there is no NUL.
func readPaths(in io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(in, 64<<20))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	sep := "\x00"
	if !bytes.Contains(text, []byte(sep)) {
		sep = "\n"
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	var out []string
	for _, p := range strings.Split(string(text), sep) {
		if p != "" {
			out = append(out, p)
		}
	}
	return out, nil
}

// shownTests is how many of a file's tests are explained unless all are asked for.
const shownTests = 10

func printExplained(s screen, list []Explained, all bool) {
	p := &printer{screen: s}
	for _, e := range list {
		p.section(printable(e.Path))
		switch {
		case e.Test && e.Selected:
			p.line("  is selected")
		case e.Test:
			p.line("  is not selected")
		default:
			p.line("  %s on it", countVerb(len(e.Tests), "test file depends", "test files depend"))
		}
		for _, w := range e.Why {
			p.line("      %s", p.paint(dim, oneLine(w)))
		}
		for i, t := range e.Tests {
			if i == shownTests && !all && len(e.Tests) > shownTests+1 {
				p.line("  and %d more, farther away: --all shows them", len(e.Tests)-i)
				break
			}
			p.line("  %s", printable(t.File))
			for _, w := range t.Why {
				p.line("      %s", p.paint(dim, oneLine(w)))
			}
		}
	}
}

func countVerb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func printAffected(s screen, d *AffectedDocument, why bool) {
	p := &printer{screen: s}
	if len(d.ModifiedFiles) > 0 {
		p.section("modified files")
		for _, f := range d.ModifiedFiles {
			p.line("  %s", printable(f))
		}
	}
	if len(d.AffectedTests) > 0 {
		p.section("affected tests")
		for _, t := range d.AffectedTests {
			p.line("  %s", printable(t.File))
			if why {
				for _, w := range t.Why {
					p.line("      %s", p.paint(dim, oneLine(w)))
				}
			}
		}
	}
	p.section("")
	text := count(len(d.ModifiedFiles), "modified file") + ", " + count(len(d.AffectedTests), "affected test file")
	if d.All {
		text += " (all)"
	}
	if d.Reason != nil && *d.Reason != "" {
		text += ": " + oneLine(*d.Reason)
	}
	p.line("%s", text)
	for _, note := range d.Spared {
		p.line("%s", p.paint(dim, oneLine(note)))
	}
}

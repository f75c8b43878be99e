package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/daemon"
	"regreen/internal/engine"
	"regreen/internal/git"
	"regreen/internal/history"
	"regreen/internal/jail"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// Wire gives the real work behind the commands.
func Wire() Deps {
	return Deps{
		Root:       repoRoot,
		RunCycle:   runCycle,
		Affected:   affectedTests,
		Misses:     missesOf,
		Understood: understood,
		Log:        logCycles,
		Show:       showCycle,
		Apply:      applyProposal,
		Undo:       undoMerge,
		Detect:     detect,
		Folders:    folders,
		Isolation:  isolation,
		StateDir:   stateDir,
	}
}

func repoRoot(ctx context.Context, dir string, environ []string) (string, error) {
	repo, err := git.Open(ctx, dir, environ)
	if err != nil {
		return "", err
	}
	root := repo.Root()
	return root, repo.Close()
}

// stateDir is $XDG_STATE_HOME/regreen, or the platform's place for such files.
func stateDir(environ []string) (string, error) {
	if dir := lookup(environ, "XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "regreen"), nil
	}
	home := lookup(environ, "HOME")
	switch runtime.GOOS {
	case "windows":
		if dir := lookup(environ, "LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "regreen"), nil
		}
	case "darwin":
		if home != "" {
			return filepath.Join(home, "Library", "Application Support", "regreen"), nil
		}
	}
	if home == "" {
		return "", &Problem{Code: "environment", Exit: ExitEnvironment, Message: "HOME and XDG_STATE_HOME are not set",
			Hint: "set XDG_STATE_HOME to a folder that can be written"}
	}
	return filepath.Join(home, ".local", "state", "regreen"), nil
}

// helper is the command line that main knows as the sandbox's helper.
func helper() []string { return []string{"/proc/self/exe", jail.Command} }

// withEngine opens the repository for one command that writes nothing.
func withEngine(ctx context.Context, r Repo, do func(*engine.Engine) error) error {
	return withLoan(ctx, r, func(e *engine.Engine, _ *daemon.Loan) error { return do(e) })
}

// withLoan opens the repository for one command. If a daemon has it, it is
// borrowed; what the command writes must be told to the loan.
func withLoan(ctx context.Context, r Repo, do func(*engine.Engine, *daemon.Loan) error) error {
	dir, err := stateDir(r.Environ)
	if err != nil {
		return err
	}
	client := daemon.NewClient(socketPath(r.Root, r.Environ))
	defer client.Close()
	loan, err := client.Borrow(ctx)
	if err != nil {
		return err
	}
	defer loan.Return()
	e, err := engine.Open(ctx, engine.Options{Dir: r.Root, Environ: r.Environ, Config: r.Config, StateDir: dir, Log: r.Log, Helper: helper(),
		Waiting: func(pid int) { r.Log.Warn("another regreen works in this repository; waiting for it", "pid", pid) }})
	if err != nil {
		return err
	}
	return errors.Join(do(e, loan), e.Close())
}

func runCycle(ctx context.Context, r Repo, o RunOptions, sink func(cycle.Event)) (doc *cycle.Document, err error) {
	err = withLoan(ctx, r, func(e *engine.Engine, loan *daemon.Loan) error {
		doc, err = e.Cycle(ctx, engine.Request{Files: o.Files, All: o.All, NoMerge: o.NoMerge,
			BeforeMerge: func(_ context.Context, changes []cycle.Change) error {
				return daemon.Unsaved(r.Root, changes, r.Environ)
			}}, sink)
		if doc == nil {
			return err
		}
		if terr := loan.Ran(context.WithoutCancel(ctx), doc); terr != nil {
			doc.Warnings = append(doc.Warnings, fmt.Sprintf("regreen status does not know of this: %v", terr))
		}
		return err
	})
	return doc, err
}

func affectedTests(ctx context.Context, r Repo, o AffectedOptions) (doc *AffectedDocument, err error) {
	err = withEngine(ctx, r, func(e *engine.Engine) error {
		set, err := e.Affected(ctx, engine.Request{Files: o.Files, All: o.All})
		if err != nil {
			return err
		}
		doc = affectedDocument(set, o.All)
		for _, p := range o.Explain {
			why := set.Explain(p)
			if why.Unknown {
				return usage("give a file of the repository, as git ls-files names it, or one that was deleted since the base", "there is no file %s", p)
			}
			doc.Explained = append(doc.Explained, explained(why))
		}
		return nil
	})
	return doc, err
}

func affectedDocument(set *affected.Set, all bool) *AffectedDocument {
	doc := &AffectedDocument{Schema: cycle.Schema, ModifiedFiles: set.Modified, All: all || set.All, Spared: set.Spared}
	doc.AffectedTests = affectedTestList(set.Tests)
	if set.Reason != "" {
		doc.Reason = &set.Reason
	}
	return doc
}

func records(r Repo) (*engine.Records, error) {
	dir, err := stateDir(r.Environ)
	if err != nil {
		return nil, err
	}
	return engine.OpenRecords(dir, r.Root)
}

// missesOf are the tests that an audit found missing in a selection.
func missesOf(_ context.Context, r Repo) ([]cycle.Miss, error) {
	kept, err := records(r)
	if err != nil {
		return nil, err
	}
	return kept.Misses(), nil
}

// understood lets tests be selected again after a miss.
func understood(_ context.Context, r Repo) error {
	kept, err := records(r)
	if err != nil {
		return err
	}
	return kept.Understood()
}

func affectedTestList(tests []affected.Test) (out []cycle.Affected) {
	for _, t := range tests {
		out = append(out, cycle.Affected{File: t.File, Why: t.Why})
	}
	return out
}

func explained(e affected.Explanation) Explained {
	return Explained{Path: e.Path, Test: e.Test, Selected: e.Selected, Why: append([]string{}, e.Why...),
		Tests: append([]cycle.Affected{}, affectedTestList(e.Tests)...)}
}

func logCycles(_ context.Context, r Repo) ([]LogEntry, error) {
	kept, err := records(r)
	if err != nil {
		return nil, err
	}
	recs, err := kept.Log()
	if err != nil {
		return nil, err
	}
	var out []LogEntry
	for _, rec := range recs {
		out = append(out, LogEntry{ID: rec.ID, Started: rec.Started, Outcome: cycle.Outcome(rec.Outcome), Files: rec.Files,
			Tests: rec.Tests, DurationMS: rec.DurationMS, Undo: rec.Undo, Fixes: rec.Fixes, Proposals: rec.Proposals})
	}
	return out, nil
}

func showCycle(_ context.Context, r Repo, id string) (*cycle.Document, error) {
	kept, err := records(r)
	if err != nil {
		return nil, err
	}
	doc, err := kept.Show(id)
	if errors.Is(err, history.ErrNotFound) {
		return nil, usage("regreen log lists the cycles", "there is no cycle %s", id)
	}
	return doc, err
}

func applyProposal(ctx context.Context, r Repo, id string) (*Change, error) {
	return change(ctx, r, id, (*engine.Engine).Apply)
}

func undoMerge(ctx context.Context, r Repo, id string) (*Change, error) {
	return change(ctx, r, id, (*engine.Engine).Undo)
}

func change(ctx context.Context, r Repo, id string, do func(*engine.Engine, context.Context, string) (*engine.Written, error)) (out *Change, err error) {
	err = withLoan(ctx, r, func(e *engine.Engine, loan *daemon.Loan) error {
		w, err := do(e, ctx, id)
		if err != nil {
			return err
		}
		out = &Change{Schema: cycle.Schema, ID: w.ID, Status: Done, Files: w.Files, Patch: w.Patch, Undo: w.Undo}
		switch {
		case w.Refused != "":
			out.Status, out.Reason = Refused, w.Refused
		case w.Nothing != "":
			out.Status, out.Reason, out.Patch = Nothing, w.Nothing, ""
		}
		return loan.Wrote(context.WithoutCancel(ctx), w)
	})
	return out, err
}

func detect(ctx context.Context, r Repo) (out []runner.Candidate, err error) {
	err = withEngine(ctx, r, func(e *engine.Engine) error {
		out, err = e.Candidates(ctx)
		return err
	})
	return out, err
}

// folders counts the folders of the repository's own files.
func folders(ctx context.Context, r Repo) (int, error) {
	repo, err := git.Open(ctx, r.Root, r.Environ)
	if err != nil {
		return 0, err
	}
	files, err := repo.Files(ctx)
	seen := map[string]bool{".": true}
	for _, rel := range files {
		for dir := path.Dir(rel); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
		}
	}
	return len(seen), errors.Join(err, repo.Close())
}

func isolation(ctx context.Context, r Repo) (w sandbox.Walls, err error) {
	err = withEngine(ctx, r, func(e *engine.Engine) error {
		w, err = e.Isolation(ctx)
		return err
	})
	return w, err
}

// lookup reads a variable of an environment; the last entry counts.
func lookup(environ []string, key string) string {
	value := ""
	for _, kv := range environ {
		if len(kv) > len(key) && kv[:len(key)] == key && kv[len(key)] == '=' {
			value = kv[len(key)+1:]
		}
	}
	return value
}

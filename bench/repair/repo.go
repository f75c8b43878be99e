package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"regreen/cycle"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// repo is a copy of a repository, with the tests green at its one commit.
type repo struct {
	o         options
	dir       string
	environ   []string
	framework string
	tests     []string // test files, as regreen ran them
	orig      tree
	langs     lang.Set
	python    *py.Language
	barren    map[string]bool // subjects of faults without an answer
}

// tries bounds the faults that are injected until one turns a test red.
const tries = 5

// copyRepo makes the copy and sees that its tests pass. Test files that are
// red from the start are left out of the copy.
func copyRepo(ctx context.Context, from string, o options) (*repo, error) {
	r := &repo{o: o, barren: map[string]bool{}, dir: filepath.Join(o.work, "repos", filepath.Base(from))}
	for _, d := range []string{"home", "state", "cache", "tmp", "repos"} {
		if err := os.MkdirAll(filepath.Join(o.work, d), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return nil, err
	}
	r.environ = append(os.Environ(), "HOME="+filepath.Join(o.work, "home"), "XDG_STATE_HOME="+filepath.Join(o.work, "state"),
		"XDG_CACHE_HOME="+filepath.Join(o.work, "cache"), "XDG_RUNTIME_DIR="+filepath.Join(o.work, "tmp"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@example.invalid",
		"GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@example.invalid")
	if err := r.clone(ctx, from); err != nil {
		return nil, err
	}
	python := filepath.Join(r.dir, ".venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	r.python = py.New(python)
	r.langs = lang.Set{js.Language{}, r.python}
	for range 3 {
		doc, err := r.regreen(ctx, "--all", "--no-merge")
		if err != nil {
			return nil, err
		}
		if len(doc.Frameworks) > 0 {
			r.framework = doc.Frameworks[0]
		}
		if doc.Outcome == cycle.Passed {
			if r.orig, err = readTree(ctx, r); err != nil {
				return nil, err
			}
			return r, nil
		}
		if err := r.leaveOut(ctx, doc); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("its tests are not green to begin with")
}

func (r *repo) close() { _ = r.python.Close() }

func (r *repo) leaveOut(ctx context.Context, doc *cycle.Document) error {
	n := 0
	for _, rem := range doc.Remaining {
		if rem.Test.File == "" {
			return fmt.Errorf("its tests do not run: %s", rem.Message)
		}
		if err := os.Remove(filepath.Join(r.dir, filepath.FromSlash(rem.Test.File))); err == nil {
			n++
		}
	}
	if n == 0 {
		return fmt.Errorf("its tests do not run: %s", doc.Reason)
	}
	return r.commit(ctx)
}

func (r *repo) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = r.dir, r.environ
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, errs.Bytes())
	}
	return string(out), nil
}

func (r *repo) commit(ctx context.Context) error {
	if _, err := r.git(ctx, "add", "-A"); err != nil {
		return err
	}
	_, err := r.git(ctx, "commit", "-q", "--no-verify", "-m", "what the bench needs")
	return err
}

// clone copies the committed files and the installed packages.
func (r *repo) clone(ctx context.Context, from string) error {
	cmd := exec.CommandContext(ctx, "git", "clone", "-q", "--no-hardlinks", from, r.dir)
	cmd.Env = r.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("clone: %w: %s", err, out)
	}
	for _, name := range []string{"node_modules", ".venv"} {
		if _, err := os.Stat(filepath.Join(from, name)); err != nil {
			continue
		}
		if err := copyInstalled(filepath.Join(from, name), filepath.Join(r.dir, name), from, r.dir); err != nil {
			return err
		}
		if err := exclude(r.dir, name); err != nil {
			return err
		}
	}
	return nil
}

func exclude(dir, name string) error {
	f, err := os.OpenFile(filepath.Join(dir, ".git", "info", "exclude"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\n%s\n", name)
	return errors.Join(err, f.Close())
}

// ownPaths are the files of a virtual environment that hold its own path, and
// that of an editable install.
var ownPaths = regexp.MustCompile(`(\.pth|\.cfg|direct_url\.json|/__editable__[^/]*\.py|/bin/[^/]+)$`)

// copyInstalled links files where that works, and copies those that name the
// repository's own path, with the path of the copy.
func copyInstalled(from, to, oldRoot, newRoot string) error {
	return filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			return os.MkdirAll(dst, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(target, dst)
		case !ownPaths.MatchString(filepath.ToSlash(p)) && os.Link(p, dst) == nil:
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if ownPaths.MatchString(filepath.ToSlash(p)) && !bytes.Contains(src, []byte{0}) {
			src = bytes.ReplaceAll(src, []byte(oldRoot), []byte(newRoot))
		}
		return os.WriteFile(dst, src, info.Mode().Perm())
	})
}

func build(ctx context.Context, work string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	program := filepath.Join(work, "regreen")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	cmd.Dir = strings.TrimSpace(string(root))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return program, nil
}

// regreen runs the program in the copy and reads its document.
func (r *repo) regreen(ctx context.Context, args ...string) (*cycle.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, r.o.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.o.program, append([]string{"run", "--json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, r.environ, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return nil, err
	}
	var doc cycle.Document
	if jerr := json.Unmarshal(out.Bytes(), &doc); jerr != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &cycle.Document{Outcome: cycle.Cancelled, Reason: "the bench's limit"}, nil
		}
		return nil, fmt.Errorf("regreen %s: %w: %s", strings.Join(args, " "), jerr, errs.Bytes())
	}
	if doc.Outcome == cycle.Cancelled {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("regreen %s was interrupted", strings.Join(args, " "))
		}
		doc.Reason = "the bench's limit"
	}
	return &doc, nil
}

// rng is the source of chance of one try of one case.
func rng(id caseID, try int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00%d", id.Repo, id.Kind, id.N, try)
	return rand.New(rand.NewPCG(id.Seed, h.Sum64()))
}

// run makes one case: it injects faults until one turns a test red that the
// right answer turns green.
func (r *repo) run(ctx context.Context, id caseID) (result, error) {
	res := result{caseID: id, Framework: r.framework, Verdict: noPlace}
	for try := range tries {
		f := inject(rng(id, try), r.orig, r.langs, id.Kind)
		if f == nil {
			continue
		}
		if r.barren[f.subject] {
			res.What, res.Verdict = f.what, noAnswer
			res.Invalid++
			continue
		}
		res.What, res.Verdict = f.what, notRed
		done, err := r.fault(ctx, f, &res)
		invalid := false
		if err == nil && done && (res.Verdict == left || res.Verdict == offered) {
			invalid, err = r.unanswered(ctx, f)
		}
		if rerr := r.restore(ctx); rerr != nil || err != nil {
			return res, errors.Join(err, rerr)
		}
		switch {
		case !done:
			res.Dropped++
		case invalid:
			if f.subject != "" {
				r.barren[f.subject] = true
			}
			res = result{caseID: id, Framework: r.framework, What: res.What, Verdict: noAnswer, Dropped: res.Dropped, Invalid: res.Invalid + 1}
		default:
			return res, nil
		}
	}
	return res, nil
}

// fault runs one fault; done is false when it turned no test red.
func (r *repo) fault(ctx context.Context, f *fault, res *result) (done bool, err error) {
	broken, err := r.put(f.edits)
	if err != nil {
		return false, err
	}
	doc, err := r.regreen(ctx)
	if err != nil {
		return false, err
	}
	if doc.Outcome == cycle.Passed || doc.Outcome == cycle.NoTests {
		red, err := r.redAfterAll(ctx, doc)
		if err != nil || !red {
			return false, err
		}
		res.Verdict, res.Note = left, "the affected tests were green, the full suite is not"
	}
	res.Outcome, res.Reason, res.Patch = string(doc.Outcome), doc.Reason, doc.Patch
	t := doc.Timings
	res.MS, res.FirstMS, res.FullMS = t.Total, t.FirstRun, t.FullSuite
	res.AfterMS = t.Total - t.FirstRun - t.Affected - t.Snapshot
	now, err := readTree(ctx, r)
	if err != nil {
		return false, err
	}
	res.Verdict, res.Note = f.judge(r.langs, r.orig, broken, now)
	if doc.Outcome == cycle.Repaired && res.Verdict == left {
		res.Verdict, res.Note = wrong, "merged without an edit that counts"
	}
	if res.Verdict == left {
		for _, p := range doc.Proposals {
			if after, ok := r.proposed(broken, p.Patch); ok {
				if v, _ := f.judge(r.langs, r.orig, broken, after); v == equal || v == partly {
					res.Verdict = offered
				}
			}
		}
	}
	if f.trap {
		res.Cause = f.named(doc)
	}
	return true, nil
}

// redAfterAll tells whether the whole suite is red where the affected tests
// were not.
func (r *repo) redAfterAll(ctx context.Context, doc *cycle.Document) (bool, error) {
	if doc.FullSuiteRun {
		return false, nil
	}
	all, err := r.regreen(ctx, "--all", "--no-merge")
	if err != nil {
		return false, err
	}
	return all.Outcome != cycle.Passed && all.Outcome != cycle.NoTests, nil
}

// proposed is the tree with a proposal's patch.
func (r *repo) proposed(broken tree, patch string) (tree, bool) {
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.environ, strings.NewReader(patch)
	if cmd.Run() != nil {
		return nil, false
	}
	now, err := readTree(context.Background(), r)
	if err != nil {
		return nil, false
	}
	for rel, src := range broken {
		if !bytes.Equal(src, now[rel]) {
			if os.WriteFile(filepath.Join(r.dir, filepath.FromSlash(rel)), src, 0o644) != nil {
				return nil, false
			}
		}
	}
	return now, true
}

// put writes a fault and gives the tree with it.
func (r *repo) put(edits map[string][]byte) (tree, error) {
	broken := tree{}
	for rel, src := range r.orig {
		broken[rel] = src
	}
	for _, rel := range sortedKeys(edits) {
		abs := filepath.Join(r.dir, filepath.FromSlash(rel))
		if edits[rel] == nil {
			delete(broken, rel)
			if err := os.Remove(abs); err != nil {
				return nil, err
			}
			continue
		}
		broken[rel] = edits[rel]
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(abs, edits[rel], 0o644); err != nil {
			return nil, err
		}
	}
	return broken, nil
}

// restore brings the copy back to its commit.
func (r *repo) restore(ctx context.Context) error {
	if _, err := r.git(ctx, "checkout", "-q", "--", "."); err != nil {
		return err
	}
	_, err := r.git(ctx, "clean", "-fdq")
	return err
}

// tree is the text of every source file of the repository.
type tree map[string][]byte

func (t tree) files() []string { return sortedKeys(t) }

func sortedKeys(m map[string][]byte) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// readTree reads the files in a known language, tracked or new.
func readTree(ctx context.Context, r *repo) (tree, error) {
	out, err := r.git(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	t := tree{}
	for rel := range strings.SplitSeq(out, "\x00") {
		if rel == "" || r.langs.For(rel) == nil {
			continue
		}
		src, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(rel)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t[rel] = src
	}
	return t, nil
}

package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// headReader is one way to read HEAD: go-git, which needs no process, or the
// command line, which opens every repository.
type headReader interface {
	// head gives the commit and the full name of the branch ("" when
	// detached). unborn is a branch without a commit.
	head(ctx context.Context) (h Head, err error)
}

// Head is what HEAD says.
type Head struct {
	OID    string // "" when unborn
	Branch string // full ref name, "" when detached
	Unborn bool
}

// Head gives the commit that HEAD names; unborn says that there is none yet.
func (r *Repo) Head(ctx context.Context) (oid string, unborn bool, err error) {
	h, err := r.ReadHead(ctx)
	return h.OID, h.Unborn, err
}

// ReadHead reads HEAD with its branch.
func (r *Repo) ReadHead(ctx context.Context) (Head, error) {
	var err error
	for _, hr := range r.heads {
		var h Head
		if h, err = hr.head(ctx); err == nil {
			return h, nil
		}
	}
	return Head{}, fmt.Errorf("read HEAD of %s: %w", r.root, err)
}

// maxSymbolic is how many names may lead from HEAD to a commit; git's own limit
// (SYMREF_MAXDEPTH) is 5.
const maxSymbolic = 5

type goHead struct{ repo *gogit.Repository }

func (g goHead) head(context.Context) (Head, error) {
	var h Head
	// A branch may be a name for another one; git tells the last.
	name := plumbing.HEAD
	for range maxSymbolic {
		ref, err := g.repo.Reference(name, false)
		switch {
		case errors.Is(err, plumbing.ErrReferenceNotFound) && name != plumbing.HEAD:
			h.Unborn = true
			return h, nil
		case err != nil:
			return Head{}, fmt.Errorf("go-git: %w", err)
		case ref.Type() == plumbing.HashReference:
			h.OID = ref.Hash().String()
			return h, nil
		}
		name = ref.Target()
		h.Branch = name.String()
	}
	return Head{}, errors.New("go-git: HEAD leads in a circle")
}

type cliHead struct{ r *Repo }

func (c cliHead) head(ctx context.Context) (Head, error) {
	var h Head
	out, err := c.r.git(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return h, err
	}
	h.Branch = strings.TrimSuffix(string(out), "\n")
	out, err = c.r.git(ctx, "rev-parse", "--verify", "-q", "HEAD^{commit}")
	switch {
	case err == nil:
		h.OID = strings.TrimSuffix(string(out), "\n")
	case exitCode(err) == 1 && h.Branch != "":
		h.Unborn = true
	default:
		return h, err
	}
	return h, nil
}

// EmptyTree is the id of the tree without files, which git knows without
// storing it: the base of a repository without commits.
func (r *Repo) EmptyTree() string {
	if r.hash == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Base resolves what a diff starts from: HEAD itself for "HEAD" and "", the
// merge base of rev and HEAD for anything else (three-dot), the empty tree
// where there is no commit yet. BaseFile and BaseFiles keep to what the last
// call said of a revision's name.
func (r *Repo) Base(ctx context.Context, rev string) (oid string, err error) {
	head, unborn, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if rev == "" || rev == "HEAD" {
		if unborn {
			return r.EmptyTree(), nil
		}
		return head, nil
	}
	if rev == r.EmptyTree() {
		return rev, nil
	}
	unknown := &Error{Code: CodeUnknownRevision, Message: fmt.Sprintf("git does not know the revision %q", rev),
		Hint: "name a branch, a tag or a commit; for a remote branch fetch it first"}
	if strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return "", unknown
	}
	out, err := r.git(ctx, "rev-parse", "--verify", "-q", rev+"^{commit}")
	if exitCode(err) > 0 {
		return "", unknown
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(out))
	if unborn || commit == head {
		return r.isBase(rev, commit), nil
	}
	out, err = r.git(ctx, "merge-base", commit, head)
	if exitCode(err) == 1 {
		return "", &Error{Code: CodeUnknownRevision, Message: fmt.Sprintf("%q and HEAD have no commit in common", rev),
			Hint: "name a revision that HEAD descends from; in a shallow clone fetch more history"}
	}
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return r.isBase(rev, first), nil
}

func (r *Repo) isBase(rev, oid string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bases == nil {
		r.bases = map[string]string{}
	}
	r.bases[rev] = oid
	return oid
}

package git

import (
	"fmt"
	"strings"
)

// The codes of Error.
const (
	CodeNotRepository   = "not_a_repository"
	CodeBare            = "bare_repository"
	CodeUnsafe          = "unsafe_ownership"
	CodeGitMissing      = "git_missing"
	CodeUnknownRevision = "unknown_revision"
	CodeGitFailed       = "git_failed"
)

// Error is a state of the user's repository that a person must mend.
type Error struct {
	Code    string
	Message string
	Hint    string // one line, what to do next
}

// Error is the message without the hint.
func (e *Error) Error() string { return e.Message }

// ExitError is a git command that ended with another code than 0.
type ExitError struct {
	Args   []string
	Code   int
	Stderr string
}

// Error names the command and the first line of what git said.
func (e *ExitError) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	if line == "" {
		line = fmt.Sprintf("exit code %d", e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.name(), line)
}

func (e *ExitError) name() string {
	for _, a := range e.Args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// openError names what is wrong with the folder from what git said of it.
func openError(dir string, err *ExitError, stdout string) error {
	said := err.Stderr
	first, _, _ := strings.Cut(stdout, "\n")
	switch {
	case strings.Contains(said, "dubious ownership"), strings.Contains(said, "unsafe repository"):
		return &Error{Code: CodeUnsafe,
			Message: fmt.Sprintf("the repository at %s belongs to another user and git refuses to read it", dir),
			Hint:    "run as its owner, or trust it with: git config --global --add safe.directory " + dir}
	case first == "true":
		return &Error{Code: CodeBare,
			Message: fmt.Sprintf("%s is a bare repository: it has no working tree", dir),
			Hint:    "run inside a clone or a worktree of it"}
	case strings.Contains(said, "must be run in a work tree"):
		return &Error{Code: CodeNotRepository,
			Message: fmt.Sprintf("%s is not inside a working tree", dir),
			Hint:    "run inside the working tree, not inside .git"}
	case strings.Contains(said, "not a git repository"):
		return &Error{Code: CodeNotRepository,
			Message: fmt.Sprintf("%s is not in a git repository", dir),
			Hint:    "run inside a repository, or make one with: git init"}
	}
	return &Error{Code: CodeGitFailed,
		Message: fmt.Sprintf("git cannot read the repository at %s: %s", dir, strings.TrimSpace(said)),
		Hint:    "see what this says: git -C " + dir + " status"}
}

package cli

import (
	"context"
	"log/slog"
	"time"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// Repo is where a command works and with what settings.
type Repo struct {
	Root       string // the repository's top folder, abs, links resolved
	Dir        string // the working folder, abs
	Environ    []string
	Config     config.Config // flags are applied
	ConfigPath string        // "" when there is no file
	Log        *slog.Logger
}

// RunOptions is what `run` asks for beside the configuration.
type RunOptions struct {
	Files   []string // rel; empty: what git says is modified
	All     bool     // the whole suite
	NoMerge bool     // never write into the user's files
}

// AffectedOptions is what `affected` asks for beside the configuration.
type AffectedOptions struct {
	Files []string // rel
	All   bool
	// Explain are paths (rel) to explain; the selection is what git says.
	Explain []string
}

// AffectedDocument is what `affected --json` prints.
type AffectedDocument struct {
	Schema        int              `json:"schema"`
	ModifiedFiles []string         `json:"modified_files"`
	AffectedTests []cycle.Affected `json:"affected_tests"`
	All           bool             `json:"all"`
	Reason        *string          `json:"reason"` // why all, or why widened
	// Spared says why a change selects less than all that depends on the file.
	Spared []string `json:"spared,omitempty"`
	// Explained answers --why PATH.
	Explained []Explained    `json:"explained,omitempty"`
	Error     *cycle.Problem `json:"error"`
}

// Explained is why a test is selected or not, or what a file selects.
type Explained struct {
	Path     string           `json:"path"`
	Test     bool             `json:"test"`
	Selected bool             `json:"selected"`
	Why      []string         `json:"why"`
	Tests    []cycle.Affected `json:"tests"`
}

// LogEntry is one cycle of the history.
type LogEntry struct {
	ID         string        `json:"id"`
	Started    time.Time     `json:"started"`
	Outcome    cycle.Outcome `json:"outcome"`
	Files      []string      `json:"files"` // modified
	Tests      int           `json:"tests"` // tests of the last run
	DurationMS int64         `json:"duration_ms"`
	Undo       string        `json:"undo"`      // "" when nothing was merged or it is undone
	Fixes      []string      `json:"fixes"`     // titles of the fixes that were merged
	Proposals  []string      `json:"proposals"` // ids for apply, of what the cycle proposed
}

// ChangeStatus is how an apply or undo ended.
type ChangeStatus string

// The statuses: exit 0, 1 and 4.
const (
	Done    ChangeStatus = "done"
	Nothing ChangeStatus = "nothing"
	Refused ChangeStatus = "refused"
)

// Change is what `apply --json` and `undo --json` print.
type Change struct {
	Schema int            `json:"schema"`
	ID     string         `json:"id"` // of the cycle or proposal
	Status ChangeStatus   `json:"status"`
	Files  []cycle.Merged `json:"files"`
	Reason string         `json:"reason"` // of nothing and refused
	Patch  string         `json:"patch"`  // what was written, or could not be
	Undo   string         `json:"undo"`   // apply: the record that takes it back
	Error  *cycle.Problem `json:"error"`
}

// Deps is the work behind the commands. Tests give fakes; Wire gives the real
// ones. Errors may wrap a *Problem, or an error type of a package
// below that problemOf knows, to say more than a message.
type Deps struct {
	// Example is a regreen.toml that shows every key, "" where there is none.
	Example string
	// Root finds the top folder of the repository that dir is in.
	Root func(ctx context.Context, dir string, environ []string) (string, error)
	// RunCycle runs one cycle. A Document whose Error has the code "budget"
	// says that a budget ran out. sink may be called from any goroutine.
	RunCycle func(ctx context.Context, r Repo, o RunOptions, sink func(cycle.Event)) (*cycle.Document, error)
	Affected func(ctx context.Context, r Repo, o AffectedOptions) (*AffectedDocument, error)
	// Misses are the tests that an audit found missing in a selection and that
	// nobody understands yet, for which all tests run; Understood forgets them.
	Misses     func(ctx context.Context, r Repo) ([]cycle.Miss, error)
	Understood func(ctx context.Context, r Repo) error
	// Log gives the newest cycle first.
	Log  func(ctx context.Context, r Repo) ([]LogEntry, error)
	Show func(ctx context.Context, r Repo, id string) (*cycle.Document, error)
	// Apply applies a proposal; id is the proposal's or its cycle's, an empty
	// one is the last proposal.
	Apply func(ctx context.Context, r Repo, id string) (*Change, error)
	// Undo takes back a merge; an empty id is the last one.
	Undo func(ctx context.Context, r Repo, id string) (*Change, error)
	// Detect gives all that detection saw, the broken candidates too.
	Detect func(ctx context.Context, r Repo) ([]runner.Candidate, error)
	// Folders counts the folders that would be watched.
	Folders func(ctx context.Context, r Repo) (int, error)
	// Isolation finds the level that a cycle would run at, and what it holds.
	Isolation func(ctx context.Context, r Repo) (sandbox.Walls, error)
	// StateDir is the folder that regreen keeps its state in.
	StateDir func(environ []string) (string, error)
}

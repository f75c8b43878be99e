// Package config reads regreen.toml. It is strict: an unknown key, a wrong
// type or an impossible value is an error that names file, line and key.
package config

import "time"

// Duration is a time.Duration written as a string such as "120s".
type Duration time.Duration

// Std is the standard library's value.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Config is the whole file. Default gives every default (DESIGN.md section 8).
type Config struct {
	Cycle    Cycle     `toml:"cycle"`
	Run      Run       `toml:"run"`
	Watch    Watch     `toml:"watch"`
	Affected Affected  `toml:"affected"`
	Sandbox  Sandbox   `toml:"sandbox"`
	Fixers   Fixers    `toml:"fixers"`
	Severity Severity  `toml:"severity"`
	Notify   Notify    `toml:"notify"`
	History  History   `toml:"history"`
	Project  []Project `toml:"project"`
}

// Cycle bounds the loop.
type Cycle struct {
	MaxIterations          int      `toml:"max_iterations"`
	Jobs                   int      `toml:"jobs"`             // 0 leaves it to regreen
	TargetPassRate         float64  `toml:"target_pass_rate"` // percent
	FullSuite              string   `toml:"full_suite"`       // always | auto | never
	Merge                  string   `toml:"merge"`            // auto | propose
	MergeAfterCommit       bool     `toml:"merge_after_commit"`
	MergeQuiet             Duration `toml:"merge_quiet"`
	TypingQuiet            Duration `toml:"typing_quiet"` // 0: half-written files are not waited for
	Budget                 Duration `toml:"budget"`
	CauseBudget            Duration `toml:"cause_budget"` // 0: no cause is searched for
	GuessBudget            Duration `toml:"guess_budget"` // 0: nothing is guessed at
	ConservativeUntil      int      `toml:"conservative_until"`
	ConservativeAbove      float64  `toml:"conservative_above"`
	SurgicalMaxCritical    int      `toml:"surgical_max_critical"`
	SurgicalMinOccurrences int      `toml:"surgical_min_occurrences"`
	AggressiveBelow        float64  `toml:"aggressive_below"`
	AggressiveAfter        int      `toml:"aggressive_after"`
}

// Run bounds one test run.
type Run struct {
	AffectedTimeout Duration `toml:"affected_timeout"`
	FullTimeout     Duration `toml:"full_timeout"`
}

// Watch is for the watcher.
type Watch struct {
	Quiet      Duration `toml:"quiet"`
	StormQuiet Duration `toml:"storm_quiet"`
	MaxWait    Duration `toml:"max_wait"`
	// Poll says which folders are looked at in intervals: auto (those that the
	// kernel tells nothing of) | always | never.
	Poll         string   `toml:"poll"`
	PollInterval Duration `toml:"poll_interval"` // while somebody works
	Ignore       []string `toml:"ignore"`
	Extra        []string `toml:"extra"`
}

// Affected is for the selection.
type Affected struct {
	Base      string              `toml:"base"`
	Precision string              `toml:"precision"` // static | traced
	Audit     bool                `toml:"audit"`
	Data      map[string][]string `toml:"data"` // glob of data files to globs of tests
}

// Sandbox is for the private copy.
type Sandbox struct {
	Isolation string   `toml:"isolation"` // auto | namespace | landlock | copy
	Network   bool     `toml:"network"`
	Carry     []string `toml:"carry"`     // globs of ignored inputs to copy
	Memory    string   `toml:"memory"`    // "" leaves it to regreen
	Processes int      `toml:"processes"` // 0 leaves it to regreen
	Disk      string   `toml:"disk"`      // "" leaves it to regreen
}

// Fixers is for the repair.
type Fixers struct {
	Disabled         []string  `toml:"disabled"`
	UpdateAssertions bool      `toml:"update_assertions"`
	Command          []Command `toml:"command"`
	Chat             Chat      `toml:"chat"`
}

// Chat is a model that repairs, behind a server that speaks OpenAI's chat
// completions. It is off while URL is "".
type Chat struct {
	URL         string   `toml:"url"`
	Model       string   `toml:"model"`
	KeyEnv      string   `toml:"key_env"` // name of the variable with the key
	Kinds       []string `toml:"kinds"`
	Timeout     Duration `toml:"timeout"` // of one answer
	Rounds      int      `toml:"rounds"`  // of one cycle
	MaxFiles    int      `toml:"max_files"`
	MaxLines    int      `toml:"max_lines"`
	MaxTokens   int      `toml:"max_tokens"`   // of one cycle, in and out
	MaxCost     float64  `toml:"max_cost"`     // of one cycle; 0 is no limit
	InputPrice  float64  `toml:"input_price"`  // for a million tokens
	OutputPrice float64  `toml:"output_price"` // for a million tokens
}

// Command is a program that repairs.
type Command struct {
	Name     string   `toml:"name"`
	Command  []string `toml:"command"`
	Kinds    []string `toml:"kinds"`
	Timeout  Duration `toml:"timeout"` // of one round
	Rounds   int      `toml:"rounds"`  // of one cycle
	MaxFiles int      `toml:"max_files"`
	MaxLines int      `toml:"max_lines"`
	Success  []int    `toml:"success"` // exit codes; none is 0
	Network  bool     `toml:"network"`
	Env      []string `toml:"env"`
	Home     []string `toml:"home"` // paths in the home folder to copy
}

// Notify says which verdicts of the watcher are shown on the desktop.
type Notify struct {
	On []string `toml:"on"` // of red | repaired | decision
}

// Severity raises or lowers tests by patterns on their names.
type Severity struct {
	Critical []string `toml:"critical"`
	High     []string `toml:"high"`
	Low      []string `toml:"low"`
}

// History bounds what is kept of cycles; the newest twenty always are.
type History struct {
	MaxAge    Duration `toml:"max_age"`
	MaxSize   string   `toml:"max_size"` // of documents and proposals, as sandbox.memory
	MaxCycles int      `toml:"max_cycles"`
}

// Project sets a project by hand.
type Project struct {
	Root      string            `toml:"root"`
	Framework string            `toml:"framework"`
	Command   []string          `toml:"command"`
	Args      []string          `toml:"args"` // in the place of those of the project's script; none keeps them
	Env       map[string]string `toml:"env"`
}

package config

import "time"

// Default is the configuration of a repository without a regreen.toml. The
// caller owns it.
func Default() Config {
	return Config{
		Cycle: Cycle{
			MaxIterations:          10,
			TargetPassRate:         95,
			FullSuite:              "auto",
			Merge:                  "auto",
			MergeQuiet:             Duration(time.Second),
			TypingQuiet:            Duration(3 * time.Second),
			Budget:                 Duration(15 * time.Minute),
			CauseBudget:            Duration(20 * time.Second),
			ConservativeUntil:      3,
			ConservativeAbove:      80,
			SurgicalMaxCritical:    4,
			SurgicalMinOccurrences: 3,
			AggressiveBelow:        50,
			AggressiveAfter:        7,
		},
		Run: Run{
			AffectedTimeout: Duration(120 * time.Second),
			FullTimeout:     Duration(300 * time.Second),
		},
		Watch: Watch{
			Quiet:        Duration(30 * time.Millisecond),
			StormQuiet:   Duration(250 * time.Millisecond),
			MaxWait:      Duration(5 * time.Second),
			Poll:         "auto",
			PollInterval: Duration(500 * time.Millisecond),
		},
		Affected: Affected{Base: "HEAD", Precision: "static"},
		Fixers:   Fixers{Chat: Chat{Timeout: Duration(2 * time.Minute), Rounds: 2, MaxFiles: 5, MaxLines: 200, MaxTokens: 50_000}},
		Sandbox:  Sandbox{Isolation: "auto", Network: true, Carry: []string{".env*"}},
		History:  History{MaxAge: Duration(30 * 24 * time.Hour), MaxSize: "200M", MaxCycles: 2000},
	}
}

// defaultCommand fills what a [[fixers.command]] leaves out.
func defaultCommand(c Command) Command {
	if c.Timeout == 0 {
		c.Timeout = Duration(5 * time.Minute)
	}
	if c.Rounds == 0 {
		c.Rounds = 2
	}
	if c.MaxFiles == 0 {
		c.MaxFiles = 20
	}
	if c.MaxLines == 0 {
		c.MaxLines = 500
	}
	if len(c.Success) == 0 {
		c.Success = []int{0}
	}
	return c
}

package config

// kind is what a value must be.
type kind int

const (
	table    kind = iota
	tables        // an array of tables
	textMap       // a table of strings
	globMap       // a table of globs to lists of globs
	boolean       //
	integer       // at least min
	percent       // 0 to 100
	amount        // 0 or more
	duration      // a string such as "120s", not negative
	text          //
	size          // "" or a number with K, M, G
	word          // one of words
	texts         // a list of strings, none empty
	globs         // a list of globs
	words         // a list out of words
	folder        // a relative path inside the repository
	folders       // a list of such paths
	codes         // a list of exit codes
)

// node is what is known about one key.
type node struct {
	kind  kind
	min   int64
	words []string
	keys  map[string]node // of a table
	must  []string        // keys that a table in an array has to have
}

// Frameworks are the test frameworks that regreen can drive.
func Frameworks() []string { return []string{"jest", "vitest", "mocha", "pytest"} }

// Kinds are the kinds of failure that a fixer can be asked for, in the words
// of DESIGN.md section 3.
func Kinds() []string {
	return []string{"missing_import", "missing_export", "undefined_variable", "attribute_error",
		"assertion_mismatch", "snapshot_mismatch", "timeout", "syntax_error", "hook_error", "thrown_error",
		"missing_fixture", "unhandled_rejection", "crash", "no_tests", "unknown"}
}

// FixerNames are the built-in fixers that fixers.disabled can name.
func FixerNames() []string {
	return []string{"syntax_error", "missing_import", "missing_export", "undefined_variable", "attribute_error",
		"missing_fixture", "missing_await", "fake_timers", "changed_arguments", "follow_diff", "time_limit", "assertion", "snapshot"}
}

// schema is every key of the file. A test holds it against Config.
func schema() node {
	return node{kind: table, keys: map[string]node{
		"cycle": {kind: table, keys: map[string]node{
			"max_iterations":           {kind: integer, min: 1},
			"jobs":                     {kind: integer},
			"target_pass_rate":         {kind: percent},
			"full_suite":               {kind: word, words: []string{"always", "auto", "never"}},
			"merge":                    {kind: word, words: []string{"auto", "propose"}},
			"merge_after_commit":       {kind: boolean},
			"merge_quiet":              {kind: duration},
			"typing_quiet":             {kind: duration},
			"budget":                   {kind: duration},
			"cause_budget":             {kind: duration},
			"guess_budget":             {kind: duration},
			"conservative_until":       {kind: integer},
			"conservative_above":       {kind: percent},
			"surgical_max_critical":    {kind: integer},
			"surgical_min_occurrences": {kind: integer, min: 1},
			"aggressive_below":         {kind: percent},
			"aggressive_after":         {kind: integer},
		}},
		"run": {kind: table, keys: map[string]node{
			"affected_timeout": {kind: duration},
			"full_timeout":     {kind: duration},
		}},
		"watch": {kind: table, keys: map[string]node{
			"quiet":         {kind: duration},
			"storm_quiet":   {kind: duration},
			"max_wait":      {kind: duration},
			"poll":          {kind: word, words: []string{"auto", "always", "never"}},
			"poll_interval": {kind: duration},
			"ignore":        {kind: globs},
			"extra":         {kind: globs},
		}},
		"affected": {kind: table, keys: map[string]node{
			"base":      {kind: text},
			"precision": {kind: word, words: []string{"static", "traced"}},
			"audit":     {kind: boolean},
			"data":      {kind: globMap},
		}},
		"sandbox": {kind: table, keys: map[string]node{
			"isolation": {kind: word, words: []string{"auto", "namespace", "landlock", "copy"}},
			"network":   {kind: boolean},
			"carry":     {kind: globs},
			"memory":    {kind: size},
			"processes": {kind: integer},
			"disk":      {kind: size},
		}},
		"fixers": {kind: table, keys: map[string]node{
			"disabled":          {kind: texts},
			"update_assertions": {kind: boolean},
			"chat": {kind: table, keys: map[string]node{
				"url":          {kind: text},
				"model":        {kind: text},
				"key_env":      {kind: text},
				"kinds":        {kind: words, words: Kinds()},
				"timeout":      {kind: duration},
				"rounds":       {kind: integer, min: 1},
				"max_files":    {kind: integer, min: 1},
				"max_lines":    {kind: integer, min: 1},
				"max_tokens":   {kind: integer, min: 1},
				"max_cost":     {kind: amount},
				"input_price":  {kind: amount},
				"output_price": {kind: amount},
			}},
			"command": {kind: tables, must: []string{"name", "command"}, keys: map[string]node{
				"name":      {kind: text, min: 1},
				"command":   {kind: texts, min: 1},
				"kinds":     {kind: words, words: Kinds()},
				"timeout":   {kind: duration},
				"rounds":    {kind: integer, min: 1},
				"max_files": {kind: integer, min: 1},
				"max_lines": {kind: integer, min: 1},
				"success":   {kind: codes},
				"network":   {kind: boolean},
				"env":       {kind: texts},
				"home":      {kind: folders},
			}},
		}},
		"notify": {kind: table, keys: map[string]node{
			"on": {kind: words, words: []string{"red", "repaired", "decision"}},
		}},
		"severity": {kind: table, keys: map[string]node{
			"critical": {kind: texts},
			"high":     {kind: texts},
			"low":      {kind: texts},
		}},
		"history": {kind: table, keys: map[string]node{
			"max_age":    {kind: duration},
			"max_size":   {kind: size},
			"max_cycles": {kind: integer, min: 1},
		}},
		"project": {kind: tables, must: []string{"framework"}, keys: map[string]node{
			"root":      {kind: folder},
			"framework": {kind: word, words: Frameworks()},
			"command":   {kind: texts},
			"args":      {kind: texts},
			"env":       {kind: textMap},
		}},
	}}
}

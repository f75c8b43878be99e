package runner

// Executed is which functions a run was seen to execute. A function is known by
// the line that its definition begins on, a module by 0: in each map, files (rel) lead to lines
// in their order.
type Executed struct {
	// Shared is what counts for every test of the run: what ran while no test was
	// at work, or for several test files at once.
	Shared map[string][]int
	// Tests are the test files (rel) that the run executed as a whole.
	Tests map[string]ExecutedTest
}

// ExecutedTest is what one test file executed.
type ExecutedTest struct {
	Ran map[string][]int
	// Doubt says why that may not be all that it executes, for a person to read
	// after the file's name; "" is that it is.
	Doubt string
}

package node

import (
	"io"
	"path"
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/plain"
)

// maxTestTexts and maxTestText bound what detection reads of test files.
const (
	maxTestTexts = 40
	maxTestText  = 64 << 10
)

var testName = lazyregexp.New(`(\.|-|_)(test|spec|tests|specs)\.[cm]?[jt]sx?$`)

// LooksLikeTest tells by its name alone that a file holds tests.
func LooksLikeTest(rel string) bool {
	ext := path.Ext(rel)
	if !slices.Contains([]string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}, ext) || strings.HasSuffix(rel, ".d.ts") {
		return false
	}
	if testName.MatchString(rel) {
		return true
	}
	for _, dir := range strings.Split(path.Dir(rel), "/") {
		if slices.Contains([]string{"__tests__", "test", "tests", "spec", "specs"}, dir) {
			return true
		}
	}
	return false
}

// OrLooksLike adds to what a layout that is a guess takes for tests all files of
// the project in root (rel) that look like some: a configuration that cannot be
// read must not select nothing.
func OrLooksLike(root string, is func(rel string) bool) func(rel string) bool {
	return func(rel string) bool {
		if is(rel) {
			return true
		}
		p, ok := Under(root, rel)
		return ok && !slices.Contains(strings.Split(p, "/"), "node_modules") && LooksLikeTest(p)
	}
}

// testTexts reads the beginnings of some of the repository's test files.
func (r *repo) testTexts() [][]byte {
	var out [][]byte
	for _, f := range r.in.Files {
		if len(out) >= maxTestTexts {
			break
		}
		if !LooksLikeTest(f) {
			continue
		}
		if src, err := readSome(r.abs(f)); err == nil {
			out = append(out, src)
		}
	}
	return out
}

func readSome(abs string) ([]byte, error) {
	f, err := plain.Open(abs)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxTestText))
}

var (
	fromVitest  = lazyregexp.New(`(from|require\()\s*['"]vitest['"]`)
	fromJest    = lazyregexp.New(`['"]@jest/globals['"]|\bjest\.(fn|mock|spyOn|useFakeTimers|setTimeout)\b`)
	callsExpect = lazyregexp.New(`(^|[^.\w])expect\s*\(`)
	ownExpect   = lazyregexp.New(`['"](chai|vitest|@jest/globals|expect|expect\.js|should|unexpected|must)['"]`)
	callsTest   = lazyregexp.New(`(^|[^.\w])(describe|it|test|suite)(\.\w+)?\s*\(`)
	fromNode    = lazyregexp.New(`['"]node:test['"]`)
)

// VitestContent tells a test file written for vitest.
func VitestContent(src []byte) bool { return fromVitest.Match(src) }

// JestContent tells a test file written for jest: its own names, or the global
// expect that only jest provides.
func JestContent(src []byte) bool {
	if fromVitest.Match(src) || fromNode.Match(src) {
		return false
	}
	return fromJest.Match(src) || callsTest.Match(src) && callsExpect.Match(src) && !ownExpect.Match(src)
}

// MochaContent tells a test file written for mocha: its globals, without an
// expect that comes from nowhere.
func MochaContent(src []byte) bool {
	if fromVitest.Match(src) || fromNode.Match(src) || JestContent(src) {
		return false
	}
	return callsTest.Match(src)
}

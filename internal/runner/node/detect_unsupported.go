package node

import (
	"maps"
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// unsupported are the packages by which other frameworks are known.
var unsupported = map[string]string{
	"ava": "ava", "tap": "tap", "@tapjs/core": "tap", "jasmine": "jasmine", "jasmine-core": "jasmine", "karma": "karma",
	"cypress": "cypress", "@playwright/test": "playwright", "playwright": "playwright", "tape": "tape", "uvu": "uvu",
	"qunit": "qunit", "@web/test-runner": "web-test-runner", "testcafe": "testcafe", "nightwatch": "nightwatch",
	"@wdio/cli": "webdriverio", "@hapi/lab": "lab", "poku": "poku", "@japa/runner": "japa", "intern": "intern",
	"zora": "zora", "brittle": "brittle", "xv": "xv", "baretest": "baretest",
}

var (
	nodeTest = lazyregexp.New(`(^|[\s;&|])(node|tsx)\s[^&|;]*--test(\s|$|=)`)
	bunTest  = lazyregexp.New(`(^|[\s;&|])bun\s+test(\s|$)`)
	denoTest = lazyregexp.New(`(^|[\s;&|])deno\s+test(\s|$)`)
)

// Unsupported names the JavaScript test frameworks of the repository that
// regreen cannot drive, sorted, so that an error can list them.
func Unsupported(in runner.DetectInput) []string {
	r, err := readRepo(in)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, dir := range r.dirs {
		m := r.manifests[dir]
		if r.foreign(m) {
			continue
		}
		for dep := range m.deps {
			if n := unsupported[dep]; n != "" {
				names[n] = true
			}
		}
		for _, text := range m.scripts {
			for re, n := range map[*lazyregexp.Regexp]string{nodeTest: "node:test", bunTest: "bun test", denoTest: "deno test"} {
				if re.MatchString(text) {
					names[n] = true
				}
			}
		}
	}
	if slices.ContainsFunc(r.testTexts(), fromNode.Match) {
		names["node:test"] = true
	}
	for _, f := range in.Files {
		if f == "deno.json" || f == "deno.jsonc" || strings.HasSuffix(f, "/deno.json") {
			names["deno test"] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

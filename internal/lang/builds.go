package lang

import (
	"slices"
	"strings"
)

// builds are the words between tsconfig and .json by which files are called that
// say how a package is built, documented or linted, and not how it is tested.
var builds = []string{"build", "prod", "production", "release", "dist", "cjs", "mjs", "esm", "esm5", "es5", "es6", "es2015", "es2020", "umd", "commonjs",
	"types", "typings", "dts", "declaration", "declarations", "docs", "typedoc", "lint", "eslint"}

// ForBuild tells by a file's base name that it is a compiler's configuration of a
// build: tsconfig.build.json, tsconfig.prod.cjs.json. What loads TypeScript for
// tests goes by such a file only where another one names it.
func ForBuild(base string) bool {
	middle, json := strings.CutSuffix(base, ".json")
	middle, tsconfig := strings.CutPrefix(middle, "tsconfig.")
	return json && tsconfig && !slices.ContainsFunc(strings.Split(middle, "."), func(part string) bool { return !slices.Contains(builds, part) })
}

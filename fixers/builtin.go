package fixers

import (
	_ "embed" // the tables of builtin members
	"slices"
	"strings"

	"regreen/internal/lang"
)

// The tables hold one builtin type a line with its public members, as Python
// 3.11 and Node 20 list them.
var (
	//go:embed data/python_members.txt
	pythonMembers string
	//go:embed data/node_members.txt
	nodeMembers string
)

func memberTable(l lang.Language) string {
	switch l.Name() {
	case "python":
		return pythonMembers
	case "js":
		return nodeMembers
	}
	return ""
}

// builtinMembers lists the members of a builtin type, nil when it is none.
func builtinMembers(l lang.Language, typ string) []string {
	names, ok := standardNames(memberTable(l), typ)
	if !ok {
		return nil
	}
	return names
}

// allBuiltinMembers lists the members of all builtin types.
func allBuiltinMembers(l lang.Language) []string {
	var out []string
	for line := range strings.Lines(memberTable(l)) {
		_, rest, _ := strings.Cut(line, ":")
		out = append(out, strings.Fields(rest)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isBuiltinMember tells whether some builtin type has a member of that name.
func isBuiltinMember(l lang.Language, name string) bool {
	_, found := slices.BinarySearch(allBuiltinMembers(l), name)
	return found
}

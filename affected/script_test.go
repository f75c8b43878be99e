package affected

import (
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

func TestScriptName(t *testing.T) {
	for _, tc := range []struct{ file, text, want string }{
		{"bin/pm", "#!/usr/bin/env node\n", "bin/pm.js"},
		{"pm", "#!/usr/bin/env -S FORCE=1 node --no-warnings\n", "pm.js"},
		{"pm", "#!/usr/local/bin/node", "pm.js"},
		{"pm", "#!/usr/bin/env -S tsx\n", "pm.ts"},
		{"manage", "#! /usr/bin/python3.12 -u\nimport x\n", "manage.py"},
		{"run", "#!/bin/sh\nnode x\n", ""},
		{"run", "#!\n", ""},
		{"run", "#!/usr/bin/env\n", ""},
		{"LICENSE", "Copyright\n", ""},
		{"empty", "", ""},
		{".bashrc", "#!/usr/bin/env node\n", ""},
		{"a.txt", "#!/usr/bin/env node\n", ""},
	} {
		if got := scriptName(tc.file, []byte(tc.text)); got != tc.want {
			t.Errorf("scriptName(%q, %q) = %q, want %q", tc.file, tc.text, got, tc.want)
		}
	}
}

// TestScriptThatChanges: a file without an ending begins, and ends, to be a
// program while the graph is kept.
func TestScriptThatChanges(t *testing.T) {
	tree := mem{"a_test.py": "subprocess.run(['./tool'])\n", "tool": "text\n", "lib.py": ""}
	in := Input{Tree: tree, Languages: lang.Set{js.Language{}, py.New("")}, Projects: []Project{project(".", "*_test.py")}, Changes: []Change{{Path: "lib.py"}}}
	g, err := Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		text string
		want int
	}{{"#!/usr/bin/env python3\nimport lib\n", 1}, {"#!/usr/bin/env python3\nimport lib # again\n", 1}, {"#!/usr/bin/env python3\n", 0}, {"#!/bin/sh\nimport lib\n", 0}, {"#!/usr/bin/python\nimport lib\n", 1}} {
		tree["tool"] = step.text
		s, err := g.Update(t.Context(), in, []string{"tool"})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Tests) != step.want {
			t.Errorf("with the tool %q selected %v, want %d", step.text, picked(s), step.want)
		}
	}
}

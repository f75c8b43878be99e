package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// TestImported: what is asked about is what both sides call an import.
func TestImported(t *testing.T) {
	cases := []struct {
		l          lang.Language
		file, text string
		want       []string
	}{
		{js.Language{}, "a.ts", "import a from './a'\nexport * from './b'\nconst c = require('./c')\nimport('./d')\njest.mock('./e')\nnew URL('./f', import.meta.url)\ntype G = import('./g').G\nvi.mock(import('./h'))\n", []string{"./a", "./b", "./c", "./d", "./g", "./h"}},
		{py.New(""), "a.py", "import a, b.c\nfrom . import d\nif TYPE_CHECKING:\n    from .e import f\nimportlib.import_module('g')\n", []string{".", ".e", "a", "b.c"}},
	}
	for _, tc := range cases {
		if diff := cmp.Diff(tc.want, imported(tc.l, tc.file, []byte(tc.text))); diff != "" {
			t.Errorf("imported(%s) (-want +got)\n%s", tc.file, diff)
		}
	}
}

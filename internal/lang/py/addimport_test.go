package py

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

func names(spec string) []lang.Name {
	var out []lang.Name
	for _, s := range strings.Split(spec, ",") {
		imported, local, _ := strings.Cut(s, " as ")
		out = append(out, lang.Name{Imported: imported, Local: local})
	}
	return out
}

func TestAddImport(t *testing.T) {
	for _, tc := range []struct{ name, src, spec, names, want string }{
		{"joins", "from m import a\n", "m", "b", "from m import a, b\n"},
		{"joins sorted", "from m import a, c\n", "m", "b", "from m import a, b, c\n"},
		{"joins unsorted at the end", "from m import c, a\n", "m", "b", "from m import c, a, b\n"},
		{"joins in isort order", "from m import MAX, Base, run\n", "m", "Next,LOW,sum", "from m import LOW, MAX, Base, Next, run, sum\n"},
		{"joins with as", "from m import a as x\n", "m", "b as y", "from m import a as x, b as y\n"},
		{"joins brackets", "from m import (a, c)\n", "m", "b,d", "from m import (a, b, c, d)\n"},
		{"joins brackets with a comma", "from m import (a, b,)\n", "m", "c", "from m import (a, b, c,)\n"},
		{"joins lines", "from m import (\n    a,\n    c,\n)\n", "m", "b,d", "from m import (\n    a,\n    b,\n    c,\n    d,\n)\n"},
		{"joins lines without a comma", "from m import (\n    a,\n    b\n)\n", "m", "c", "from m import (\n    a,\n    b,\n    c\n)\n"},
		{"joins lines with comments", "from m import (  # m\n    a,  # a\n    b  # b\n)\n", "m", "c", "from m import (  # m\n    a,  # a\n    b,  # b\n    c\n)\n"},
		{"joins CRLF", "from m import (\r\n    a,\r\n)\r\n", "m", "b", "from m import (\r\n    a,\r\n    b,\r\n)\r\n"},
		{"joins hanging lines", "from m import (a,\n               b)\n", "m", "c", "from m import (a,\n               b,\n               c)\n"},
		{"joins behind a backslash", "from m import a, \\\n    b\n", "m", "c", "from m import a, \\\n    b, c\n"},
		{"not the star", "from m import *\n", "m", "b", "from m import *\nfrom m import b\n"},
		{"not one in a function", "def f():\n    from m import a\n", "m", "b", "from m import b\n\n\ndef f():\n    from m import a\n"},
		{"relative", "from .m import a\nfrom m import a as c\n", ".m", "b", "from .m import a, b\nfrom m import a as c\n"},
		{"new line at the end of a section", "import os\nimport sys\n\nx = 1\n", "json", "*", "import json\nimport os\nimport sys\n\nx = 1\n"},
		{"new line in an unsorted section", "import sys\nimport os\n\nx = 1\n", "json", "*", "import sys\nimport os\nimport json\n\nx = 1\n"},
		{"from behind import", "import os\nfrom abc import ABC\n", "json", "loads", "import os\nfrom abc import ABC\nfrom json import loads\n"},
		{"own section", "import os\n\nimport pytest\n\nfrom . import x\n", "sys", "*", "import os\nimport sys\n\nimport pytest\n\nfrom . import x\n"},
		{"new section between", "import os\n\nfrom . import x\n", "pkg.m", "f", "import os\n\nfrom pkg.m import f\n\nfrom . import x\n"},
		{"new section first", "import pytest\n", "os", "*", "import os\n\nimport pytest\n"},
		{"beside its package", "import os\n\nimport pytest\n\nfrom pkg.a import x\n\n\ndef f(): pass\n", "pkg.b", "y", "import os\n\nimport pytest\n\nfrom pkg.a import x\nfrom pkg.b import y\n\n\ndef f(): pass\n"},
		{"mixed section", "import os\nimport pytest\nfrom pkg import a\n", "sys", "*", "import os\nimport pytest\nimport sys\nfrom pkg import a\n"},
		{"behind a future import", "from __future__ import annotations\n\nx = 1\n", "os", "*", "from __future__ import annotations\n\nimport os\n\nx = 1\n"},
		{"behind a docstring", "\"\"\"Doc.\"\"\"\nx = 1\n", "os", "*", "\"\"\"Doc.\"\"\"\n\nimport os\n\nx = 1\n"},
		{"behind a docstring and a blank line", "\"\"\"Doc.\"\"\"\n\nx = 1\n", "os", "*", "\"\"\"Doc.\"\"\"\n\nimport os\n\nx = 1\n"},
		{"behind shebang and coding", "#!/usr/bin/python\n# coding: utf-8\n# about f\ndef f(): pass\n", "os", "*", "#!/usr/bin/python\n# coding: utf-8\nimport os\n\n\n# about f\ndef f(): pass\n"},
		{"behind a licence", "# (c)\n\nx = 1\n", "os", "*", "# (c)\n\nimport os\n\nx = 1\n"},
		{"empty file", "", "os", "*", "import os\n"},
		{"no newline at the end", "import os", "sys", "*", "import os\nimport sys"},
		{"module with as", "x = 1\n", "numpy", "* as np", "import numpy as np\n\nx = 1\n"},
		{"behind settings", "__version__ = '1'\n\nimport os\n\ndef f(): pass\n", "sys", "*", "__version__ = '1'\n\nimport os\nimport sys\n\ndef f(): pass\n"},
		{"broken text", "import os\n\ndef f(:\n  x = (\n", "m", "g", "import os\n\nfrom m import g\n\ndef f(:\n  x = (\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			edits, err := New("").AddImport("x.py", []byte(tc.src), tc.spec, names(tc.names))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(lang.Apply([]byte(tc.src), edits))); diff != "" {
				t.Errorf("AddImport(%q, %s, %s) (-want +got):\n%s", tc.src, tc.spec, tc.names, diff)
			}
		})
	}
}

func TestAddImportRefusesBoundNames(t *testing.T) {
	for _, src := range []string{"from m import b\n", "import b\n", "b = 1\n", "def b(): pass\n", "try:\n    import b\nexcept ImportError:\n    b = None\n"} {
		if edits, err := New("").AddImport("x.py", []byte(src), "m", names("b")); err == nil {
			t.Errorf("AddImport to %q = %v, want an error", src, edits)
		}
	}
}

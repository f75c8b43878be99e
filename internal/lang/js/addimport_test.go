package js

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

func TestAddImport(t *testing.T) {
	a := []lang.Name{{Imported: "a"}}
	tests := []struct {
		name, path, src, spec string
		names                 []lang.Name
		want                  string
	}{
		{"extends a list", "x.js", "import { b } from './m';\n", "./m", a, "import { b, a } from './m';\n"},
		{"tight braces", "x.js", "import {b} from './m';\n", "./m", a, "import {b, a} from './m';\n"},
		{"trailing comma", "x.js", "import { b, } from './m';\n", "./m", a, "import { b, a, } from './m';\n"},
		{"several lines", "x.js", "import {\n  c,\n  b\n} from './m';\n", "./m", a, "import {\n  c,\n  b,\n  a\n} from './m';\n"},
		{"several lines with trailing comma", "x.js", "import {\r\n\tc,\r\n\tb,\r\n} from './m'\r\n", "./m", a, "import {\r\n\tc,\r\n\tb,\r\n\ta,\r\n} from './m'\r\n"},
		{"alias at the end", "x.js", "import {\n  c as d,\n  b,\n} from './m';\n", "./m", []lang.Name{{Imported: "a", Local: "e"}}, "import {\n  c as d,\n  b,\n  a as e,\n} from './m';\n"},
		{"empty list", "x.js", "import {} from './m';\n", "./m", a, "import { a } from './m';\n"},
		{"joins a default", "x.js", "import D from './m';\n", "./m", a, "import D, { a } from './m';\n"},
		{"default joins a list", "x.js", "import { b } from './m';\n", "./m", []lang.Name{{Imported: "default", Local: "D"}}, "import D, { b } from './m';\n"},
		{"second default", "x.js", "import C, { b } from './m';\n", "./m", []lang.Name{{Imported: "default", Local: "D"}}, "import C, { b, default as D } from './m';\n"},
		{"namespace cannot be joined", "x.js", "import * as m from './m';\nf();\n", "./m", a, "import * as m from './m';\nimport { a } from './m';\nf();\n"},
		{"side effect is kept", "x.js", "import './m';\n", "./m", a, "import './m';\nimport { a } from './m';\n"},
		{"adds a namespace", "x.js", "import b from './b';\n", "./m", []lang.Name{{Imported: "*", Local: "m"}}, "import b from './b';\nimport * as m from './m';\n"},
		{"style of the others", "x.ts", "import {b} from \"./b\"\nimport c from \"./c\" // why\n\nf(b, c)\n", "./m", a,
			"import {b} from \"./b\"\nimport c from \"./c\" // why\nimport {a} from \"./m\"\n\nf(b, c)\n"},
		{"type apart", "x.ts", "import { b } from './m';\n", "./m", []lang.Name{{Imported: "A", TypeOnly: true}}, "import { b } from './m';\nimport type { A } from './m';\n"},
		{"type joins types", "x.ts", "import type { B } from './m';\nimport { b } from './m';\n", "./m", []lang.Name{{Imported: "A", TypeOnly: true}},
			"import type { B, A } from './m';\nimport { b } from './m';\n"},
		{"value does not join types", "x.ts", "import type { B } from './m';\n", "./m", a, "import type { B } from './m';\nimport { a } from './m';\n"},
		{"type inline", "x.ts", "import { b, type B } from './m';\n", "./m", []lang.Name{{Imported: "A", TypeOnly: true}}, "import { b, type B, type A } from './m';\n"},
		{"after the first run", "x.js", "import b from './b'\n\nvi.mock('./b')\nimport c from './c'\n", "./m", a, "import b from './b'\nimport { a } from './m'\n\nvi.mock('./b')\nimport c from './c'\n"},
		{"no imports", "x.mjs", "f(a);\n", "./m", a, "import { a } from './m';\n\nf(a);\n"},
		{"hashbang", "x.mjs", "#!/usr/bin/env node\nf(a);\n", "./m", a, "#!/usr/bin/env node\nimport { a } from './m';\n\nf(a);\n"},
		{"licence", "x.ts", "/*\n * Copyright me\n */\nf(a)\ng(a)\n", "./m", a, "/*\n * Copyright me\n */\nimport { a } from './m'\n\nf(a)\ng(a)\n"},
		{"comment of the code", "x.ts", "// says f\nf(a);\n", "./m", a, "import { a } from './m';\n\n// says f\nf(a);\n"},
		{"header with an empty line", "x.ts", "// the file\n\n// says f\nf(a);\n", "./m", a, "// the file\n\nimport { a } from './m';\n\n// says f\nf(a);\n"},
		{"use strict", "x.js", "'use strict';\n\nmodule.exports = () => a();\n", "./m", a, "'use strict';\nconst { a } = require('./m');\n\nmodule.exports = () => a();\n"},
		{"use client", "x.tsx", "\"use client\";\nexport const x = a;\n", "./m", a, "\"use client\";\nimport { a } from \"./m\";\n\nexport const x = a;\n"},
		{"require extends", "x.js", "const { b } = require('./m');\n", "./m", a, "const { b, a } = require('./m');\n"},
		{"require alias", "x.js", "const {\n  b,\n} = require('./m')\n", "./m", []lang.Name{{Imported: "a", Local: "c"}}, "const {\n  b,\n  a: c,\n} = require('./m')\n"},
		{"require beside", "x.js", "var b = require(\"./b\")\nvar m = require(\"./m\")\nf(b, m)\n", "./m", a, "var b = require(\"./b\")\nvar m = require(\"./m\")\nvar { a } = require(\"./m\")\nf(b, m)\n"},
		{"require after the others", "x.js", "const b = require('./b');\n\nfunction f() { return require('./lazy'); }\n", "./m", a,
			"const b = require('./b');\nconst { a } = require('./m');\n\nfunction f() { return require('./lazy'); }\n"},
		{"require default", "x.js", "const b = require('./b');\n", "./m", []lang.Name{{Imported: "default", Local: "M"}}, "const b = require('./b');\nconst M = require('./m');\n"},
		{"exports only", "x.cjs", "exports.x = () => a;\n", "./m", a, "const { a } = require('./m');\n\nexports.x = () => a;\n"},
		{"no line end", "x.js", "import b from './b'", "./m", a, "import b from './b'\nimport { a } from './m'"},
		{"empty file", "x.ts", "", "./m", a, "import { a } from './m';\n"},
		{"component", "x.vue", "<template/>\n<script setup>\nconst b = a\n</script>\n", "./m", a, "<template/>\n<script setup>\nimport { a } from './m'\n\nconst b = a\n</script>\n"},
		{"component with imports", "x.vue", "<script setup>\nimport b from './b'\n</script>\n", "./m", a, "<script setup>\nimport b from './b'\nimport { a } from './m'\n</script>\n"},
		{"export from is no import", "x.js", "export { b } from './m';\nf(a);\n", "./m", a, "import { a } from './m';\n\nexport { b } from './m';\nf(a);\n"},
		{"into a sorted list", "x.js", "import { b, d } from './m';\n", "./m", []lang.Name{{Imported: "c"}, {Imported: "a"}, {Imported: "e"}}, "import { a, b, c, d, e } from './m';\n"},
		{"into a list sorted without regard to case", "x.js", "import { b, C, d } from './m';\n", "./m", []lang.Name{{Imported: "Bee"}}, "import { b, Bee, C, d } from './m';\n"},
		{"into a list with capitals first", "x.js", "import { C, a, b } from './m';\n", "./m", []lang.Name{{Imported: "D"}}, "import { C, D, a, b } from './m';\n"},
		{"into an unsorted list", "x.js", "import { d, b, c } from './m';\n", "./m", a, "import { d, b, c, a } from './m';\n"},
		{"into sorted lines", "x.js", "import {\n  b, // why\n  d as x,\n} from './m';\n", "./m", []lang.Name{{Imported: "c"}, {Imported: "a"}}, "import {\n  a,\n  b, // why\n  c,\n  d as x,\n} from './m';\n"},
		{"into a sorted list with types", "x.ts", "import { b, type c, d } from './m';\n", "./m", []lang.Name{{Imported: "bb", TypeOnly: true}}, "import { b, type bb, type c, d } from './m';\n"},
		{"into sorted requires", "x.js", "const { b, d: x } = require('./m');\n", "./m", []lang.Name{{Imported: "c"}}, "const { b, c, d: x } = require('./m');\n"},
		{"a line between sorted lines", "x.js", "import b from './b';\nimport x from './x';\nf();\n", "./m", a, "import b from './b';\nimport { a } from './m';\nimport x from './x';\nf();\n"},
		{"a line before sorted lines", "x.js", "'use strict';\n\nimport n from './n';\nimport x from './x';\n", "./m", a, "'use strict';\n\nimport { a } from './m';\nimport n from './n';\nimport x from './x';\n"},
		{"a line between unsorted lines", "x.js", "import x from './x';\nimport b from './b';\nf();\n", "./m", a, "import x from './x';\nimport b from './b';\nimport { a } from './m';\nf();\n"},
		{"a comment stays with its import", "x.js", "// why n\nimport n from './n';\nimport x from './x';\n", "./m", a, "// why n\nimport n from './n';\nimport x from './x';\nimport { a } from './m';\n"},
		{"the group of its kind", "x.js", "import fs from 'node:fs';\n\nimport b from 'b';\nimport y from 'y';\n\nimport z from './z';\n", "m", a,
			"import fs from 'node:fs';\n\nimport b from 'b';\nimport { a } from 'm';\nimport y from 'y';\n\nimport z from './z';\n"},
		{"a group of its own between groups", "x.js", "import fs from 'node:fs';\n\nimport z from './z';\n", "m", a, "import fs from 'node:fs';\n\nimport { a } from 'm';\n\nimport z from './z';\n"},
		{"a kind of its own without groups", "x.js", "import fs from 'node:fs';\nimport z from './z';\n", "m", a, "import fs from 'node:fs';\nimport { a } from 'm';\nimport z from './z';\n"},
		{"the first kind", "x.js", "import b from 'b';\n\nimport z from './z';\n", "node:fs", a, "import { a } from 'node:fs';\n\nimport b from 'b';\n\nimport z from './z';\n"},
		{"the last kind", "x.js", "import fs from 'node:fs';\n\nimport b from 'b';\n\nf();\n", "./m", a, "import fs from 'node:fs';\n\nimport b from 'b';\n\nimport { a } from './m';\n\nf();\n"},
		{"kinds in no order", "x.js", "import z from './z';\nimport fs from 'node:fs';\n", "m", a, "import z from './z';\nimport fs from 'node:fs';\nimport { a } from 'm';\n"},
		{"behind what is loaded for its effects", "x.js", "import b from './b';\nimport './setup';\nimport x from './x';\nimport y from './y';\n", "./a", a,
			"import b from './b';\nimport './setup';\nimport { a } from './a';\nimport x from './x';\nimport y from './y';\n"},
		{"aliases beside aliases", "x.ts", "import { v } from 'vue';\nimport { b } from '@/b';\nimport { z } from '../z';\nimport { y } from './y';\n", "@/m", a,
			"import { v } from 'vue';\nimport { b } from '@/b';\nimport { a } from '@/m';\nimport { z } from '../z';\nimport { y } from './y';\n"},
		{"sorted requires", "x.js", "const b = require('./b');\nconst x = require('./x');\n\nf();\n", "./m", a, "const b = require('./b');\nconst { a } = require('./m');\nconst x = require('./x');\n\nf();\n"},
		{"CRLF in order", "x.js", "import b from './b';\r\nimport x from './x';\r\n", "./m", a, "import b from './b';\r\nimport { a } from './m';\r\nimport x from './x';\r\n"},
		{"several at once", "x.js", "import { b } from './m';\n", "./m", []lang.Name{{Imported: "default", Local: "D"}, {Imported: "a"}, {Imported: "c"}}, "import D, { b, a, c } from './m';\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edits, err := Language{}.AddImport(tt.path, []byte(tt.src), tt.spec, tt.names)
			if err != nil {
				t.Fatal(err)
			}
			got := string(lang.Apply([]byte(tt.src), edits))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("AddImport(%q) (-want +got):\n%s", tt.src, d)
			}
			if e, err := (Language{}).Check(t.Context(), tt.path, []byte(got)); e != nil || err != nil {
				t.Errorf("the result does not parse: %v %v", e, err)
			}
		})
	}
}

func TestAddImportOfABoundName(t *testing.T) {
	for _, src := range []string{"import { a } from './b'", "const a = 1", "function a() {}", "import a from './m'"} {
		_, err := Language{}.AddImport("x.js", []byte(src), "./m", []lang.Name{{Imported: "a"}})
		if !errors.Is(err, ErrBound) {
			t.Errorf("AddImport to %q: %v, want %v", src, err, ErrBound)
		}
	}
}

package js

import "testing"

func TestSpecifierIsUnescaped(t *testing.T) {
	for src, want := range map[string]string{
		`require("./a\"b")`:           `./a"b`,
		`import x from './a\\b';`:     `./a\b`,
		`import './tab\there';`:       "./tab\there",
		`import './caf\u00e9';`:       "./café",
		`import './\u{1F600}';`:       "./😀",
		`import './\ud83d\ude00.js';`: "./😀.js",
		`import './\x41';`:            "./A",
		`import './plain';`:           "./plain",
		`import './odd\q';`:           "./oddq",
		`import './broken\u00';`:      "./brokenu00",
		"import('./line\\\nbreak')":   "./linebreak",
	} {
		imps := Language{}.Scan("x.js", []byte(src)).Imports
		if len(imps) != 1 || imps[0].Specifier != want {
			t.Errorf("Scan(%s) = %+v, want the specifier %q", src, imps, want)
		}
	}
}

package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFollowed(t *testing.T) {
	texts := map[string]string{
		"src/alias.js":  "tax.js",
		"lib":           "src",
		"again.js":      "lib/alias.js",
		"deep/up.js":    "../src/./tax.js",
		"abs.js":        "/home/ann/shop/src/tax.js",
		"out.js":        "../elsewhere/tax.js",
		"outabs.js":     "/home/ann/shopping/tax.js",
		"round":         "trip",
		"trip":          "round",
		"self":          "self",
		"whole":         ".",
		"out/and/in.js": "../../../shop/src/tax.js",
	}
	want := map[string]string{
		"src/alias.js": "src/tax.js",
		"lib":          "src",
		"again.js":     "src/tax.js",
		"deep/up.js":   "src/tax.js",
		"abs.js":       "src/tax.js",
	}
	if d := cmp.Diff(want, followed(texts, "/home/ann/shop")); d != "" {
		t.Errorf("followed (-want +got):\n%s", d)
	}
}

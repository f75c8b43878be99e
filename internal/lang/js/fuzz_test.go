package js

import (
	"strings"
	"testing"
	"unicode/utf8"

	"regreen/internal/lang"
)

// seeds are texts that exercise every mode of the tokenizer.
var seeds = []string{
	"", "#!/usr/bin/env node\n'use strict';\nconst a = require('./a');\n",
	"import d, { a as b, type C } from './x';\nexport * as ns from \"y\";\nexport default class {}\n",
	"const t = `a${b + `c${d}`}e`; /re[/]x/g.test(a / b / c)\n",
	"const e = <Foo.Bar a=\"x\" b={1} {...c}>text {d} &amp; <></></Foo.Bar>;\n",
	"function f<T extends { a: string }>(x: Array<Array<T>>): x is T { return <T,>(y: T) => y }\n",
	"class A { #p = 1; @dec() static async *m() { for await (const x of y) if (x) /re/.test(x) } }\n",
	"module.exports = { a, b: c, ...require('./d'), get e() { return 1 } }\n",
	"a = b\n++c\n<!-- x\n--> y\nlet \\u0061b = 0x1_0n + .5e-3 + 1..toString()\n",
	"<template src=\"./a.html\"/><script src='./b.ts' lang=ts></script><style src=./c.css>",
	"// @jest-environment ./e.js\nconst r = createRequire(import.meta.url); r('./x' ); proxyquire.noCallThru().load('./y', {}); import.meta.glob('./*', { base: './z' })\n",
	"{ ( [ ` ${ < /* ' \"", "}) ] ` </a> */", "<a><b></a>", "`${`${`", "x = /[/", "\xff\xfe \u00a0\u2028\ufeff",
}

// FuzzTokens holds that tokens and the white space between them give back the
// text, and that nothing panics.
func FuzzTokens(f *testing.F) {
	names := []string{"a.js", "a.ts", "a.tsx", "a.mjs", "a.vue"}
	for _, s := range seeds {
		for i := range names {
			f.Add(uint8(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, src string) {
		name := names[int(n)%len(names)]
		toks := Language{}.Tokens(name, []byte(src))
		at := 0
		for _, k := range toks {
			if k.Start < at || k.End <= k.Start || k.End > len(src) {
				t.Fatalf("token %v after %d of %d bytes", k, at, len(src))
			}
			if gap := src[at:k.Start]; !blank(gap) {
				t.Fatalf("%q stands between tokens", gap)
			}
			at = k.End
		}
		if !blank(src[at:]) {
			t.Fatalf("%q stands behind the last token", src[at:])
		}
	})
}

func blank(s string) bool {
	for len(s) > 0 {
		n := spaceLen(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return true
}

// FuzzScan holds that every span of a scan is a range of the text.
func FuzzScan(f *testing.F) {
	names := []string{"a.js", "a.ts", "a.tsx", "a.vue"}
	for _, s := range seeds {
		for i := range names {
			f.Add(uint8(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, src string) {
		name := names[int(n)%len(names)]
		file := Language{}.Scan(name, []byte(src))
		check := func(what string, s lang.Span) {
			if s.Start < 0 || s.End < s.Start || s.End > len(src) {
				t.Fatalf("%s %v of %d bytes", what, s, len(src))
			}
		}
		for _, i := range file.Imports {
			check("import", i.Span)
			check("specifier", i.SpecSpan)
			if got := src[i.SpecSpan.Start:i.SpecSpan.End]; got != i.Specifier && !strings.HasSuffix(i.Specifier, "/") {
				t.Fatalf("the specifier's span holds %q, want %q", got, i.Specifier)
			}
			for _, n := range i.Names {
				check("name", n.Span)
				check("local", n.LocalSpan)
			}
		}
		for _, e := range append(file.Exports, file.Defs...) {
			check("export", e.Span)
			check("body", e.Body)
		}
		_ = utf8.ValidString(src)
	})
}

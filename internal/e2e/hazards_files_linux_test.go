package e2e

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"regreen/cycle"
)

// sources are modules like src/tax.js in unlike bytes, each with one mistake on
// one line: what must come out is known to the byte.
type source struct{ name, whole string }

func (s source) broken() string { return strings.Replace(s.whole, "return base", "return bsae", 1) }

// tested writes the sources, and a test of each.
func (l *lab) tested(broken bool, sources ...source) {
	l.t.Helper()
	for _, s := range sources {
		text := s.whole
		if broken {
			text = s.broken()
		}
		l.write("src/"+s.name+".js", text)
		l.write("test/"+s.name+".test.js", strings.Replace(taxTest, "'../src/tax'", string(mustJSON("../src/"+s.name)), 1))
	}
}

// byteHazards are about bytes that git would convert.
func byteHazards() []hazard {
	crlf := strings.ReplaceAll(wholeTax, "\n", "\r\n")
	sources := []source{
		{"crlf", crlf},
		{"mixed", strings.Replace(crlf, "{\r\n", "{\n", 1)},
		{"attribute", crlf},
		{"filtered", wholeTax},
		{"bom", "\ufeff" + wholeTax},
		{"endless", strings.TrimSuffix(wholeTax, "\n")},
		{"binary", "// \x80\xff\n" + wholeTax},
	}
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("ab", 32) + "\nsize 123456\n"
	return []hazard{
		{"12 conversions", func(l *lab) {
			l.write("asset.bin", pointer)
			l.tested(false, sources...)
			l.in(".", "config", "core.autocrlf", "true")
			l.in(".", "config", "filter.rot.clean", "tr a-z n-za-m")
			l.in(".", "config", "filter.rot.smudge", "tr n-za-m a-z")
			l.write(".gitattributes", "attribute.js text eol=crlf\nfiltered.js filter=rot\nbinary.js -text\n")
			l.commit()
			l.write(".gitattributes", l.read(".gitattributes")+"*.bin filter=lfs diff=lfs merge=lfs -text\n")
			for _, kv := range [][2]string{{"clean", "git-lfs-none clean -- %f"}, {"smudge", "git-lfs-none smudge -- %f"},
				{"process", "git-lfs-none filter-process"}, {"required", "true"}} {
				l.in(".", "config", "filter.lfs."+kv[0], kv[1])
			}
			l.write("asset.bin", pointer) // a new time, the same bytes
			l.tested(true, sources...)
			l.frozen()
			d, res := l.run()
			var files []string
			for _, s := range sources {
				files = append(files, "src/"+s.name+".js")
				if got := l.read("src/" + s.name + ".js"); got != s.whole {
					l.t.Errorf("%s: %q, want %q", s.name, got, s.whole)
				}
			}
			l.isRepaired(d, res, files...)
			l.undone()
		}},
	}
}

// fileHazards are about files that a careless write would harm.
func fileHazards() []hazard {
	proposed := func(reason string, make func(l *lab)) func(l *lab) {
		return func(l *lab) {
			l.write("src/tax.js", brokenTax)
			make(l)
			d, res := l.run()
			l.notMerged(d, res, cycle.Proposed, reason)
		}
	}
	return []hazard{
		{"16 mode and attributes", func(l *lab) {
			l.write("src/tax.js", brokenTax)
			if err := os.Chmod(l.path("src/tax.js"), 0o755); err != nil {
				l.t.Fatal(err)
			}
			l.frozen()
			for name, value := range attributes(l.cell.owner()) {
				if err := unix.Setxattr(l.path("src/tax.js"), name, value, 0); err != nil {
					l.t.Logf("no %s here: %v", name, err)
				}
			}
			before := l.image()["shop/src/tax.js"]
			l.was = l.image()
			d, res := l.run()
			l.isRepaired(d, res, "src/tax.js")
			// Mode, owner, links and attributes are those of before.
			rest := func(s string) string { f := strings.Fields(s); return f[0] + strings.Join(f[3:], " ") }
			if after := l.image()["shop/src/tax.js"]; rest(after) != rest(before) {
				l.t.Errorf("after the merge %q, was %q", after, before)
			}
			l.undone()
		}},
		{"16 a linked source", func(l *lab) {
			l.link("tax.js", "src/alias.js")
			l.write("test/tax.test.js", strings.Replace(taxTest, "src/tax", "src/alias", 1))
			l.commit()
			l.write("src/tax.js", brokenTax)
			l.frozen().repaired("src/tax.js")
		}},
		{"16 a linked folder", func(l *lab) {
			l.link("src", "lib")
			l.write("test/tax.test.js", strings.Replace(taxTest, "src/tax", "lib/tax", 1))
			l.commit()
			l.write("src/tax.js", brokenTax)
			l.frozen().repaired("src/tax.js")
		}},
		{"16 a folder linked from outside", func(l *lab) {
			l.write("../elsewhere/tax.js", wholeTax)
			l.link("../elsewhere", "away")
			l.write("test/tax.test.js", strings.Replace(taxTest, "src/tax", "away/tax", 1))
			l.commit()
			l.write("../elsewhere/tax.js", brokenTax)
			l.frozen()
			d, res := l.run("--all")
			l.notMerged(d, res, cycle.Failed, "")
		}},
		{"16 a source that became a link outwards", func(l *lab) {
			l.write("../elsewhere/tax.js", brokenTax)
			l.remove("src/tax.js")
			l.link("../../elsewhere/tax.js", "src/tax.js")
			l.frozen()
			d, res := l.run()
			l.notMerged(d, res, cycle.Failed, "")
		}},
		{"16 a hard link", proposed("hard links", func(l *lab) {
			l.frozen()
			if err := os.Link(l.path("src/tax.js"), filepath.Join(l.work, "other.js")); err != nil {
				l.t.Fatal(err)
			}
			l.was = l.image()
		})},
		{"16 read-only", proposed("read-only", func(l *lab) {
			if err := os.Chmod(l.path("src/tax.js"), 0o400); err != nil {
				l.t.Fatal(err)
			}
			l.frozen()
		})},
		{"16 another user's file", func(l *lab) {
			if os.Getuid() != 0 {
				l.t.Skip("needs root to give a file away")
			}
			l.write("src/tax.js", brokenTax)
			l.frozen()
			if err := os.Chown(l.path("src/tax.js"), 61235, 61235); err != nil {
				l.t.Fatal(err)
			}
			l.was = l.image()
			if l.user == 0 { // root can keep the owner
				d := l.repaired("src/tax.js")
				if len(d.Merged) != 1 {
					l.t.Errorf("merged %v", d.Merged)
				}
				return
			}
			d, res := l.run()
			l.notMerged(d, res, cycle.Proposed, "another user")
		}},
	}
}

// attributes are an own attribute and an access list that gives the user
// numbered one more than the owner the right to read.
func attributes(owner int) map[string][]byte {
	acl := []byte{2, 0, 0, 0}
	for _, e := range [][3]uint32{{1, 7, ^uint32(0)}, {2, 4, uint32(owner) + 1}, {4, 5, ^uint32(0)}, {16, 5, ^uint32(0)}, {32, 5, ^uint32(0)}} {
		acl = append(acl, byte(e[0]), 0, byte(e[1]), 0, byte(e[2]), byte(e[2]>>8), byte(e[2]>>16), byte(e[2]>>24))
	}
	return map[string][]byte{"user.note": []byte("mine"), "system.posix_acl_access": acl}
}

// verdictHazards are frameworks whose green is not true, and tests that are
// fewer after a repair than before.
func verdictHazards() []hazard {
	// lies has the framework tell something else than what it did.
	lies := func(old, new string, want cycle.Outcome) func(l *lab) {
		return func(l *lab) {
			src := l.read("jest.cjs")
			if !strings.Contains(src, old) {
				l.t.Fatalf("jest.cjs has no %q", old)
			}
			l.write("jest.cjs", strings.Replace(src, old, new, 1))
			l.commit()
			l.write("src/tax.js", brokenTax)
			l.frozen()
			d, res := l.run()
			l.notMerged(d, res, want, "")
		}
	}
	// second is a test that is there, or runs, only as long as tax is broken.
	second := func(declare string) func(l *lab) {
		return func(l *lab) {
			l.write("test/more.test.js", "const src = require('fs').readFileSync(__dirname + '/../src/tax.js', 'utf8');\nrequire('../src/tax');\n"+
				"it('is first', () => {});\n"+declare)
			l.commit()
			l.write("src/tax.js", brokenTax)
			l.frozen()
			d, res := l.run("--target", "50")
			l.notMerged(d, res, cycle.Failed, "")
		}
	}
	// cheats has a program make the test of a wrong sum green in its own way.
	cheats := func(script string) func(l *lab) {
		return func(l *lab) {
			l.write("regreen.toml", l.read("regreen.toml")+program("cheat", script))
			l.commit()
			l.write("src/tax.js", strings.Replace(wholeTax, "/ 5", "/ 4", 1))
			l.frozen()
			d, res := l.run()
			l.notMerged(d, res, cycle.Failed, "")
			if len(d.Refused) == 0 {
				l.t.Errorf("nothing was refused: %s", res.stderr)
			}
		}
	}
	end := "put({ t: 'end', nonce, data });"
	return []hazard{
		{"18 a program that skips the test", cheats("sed -i 's/^it(/it.skip(/' test/tax.test.js")},
		{"18 a program that deletes the test", cheats("echo 'it(\"is\", () => {});' > test/is.test.js; rm test/tax.test.js")},
		{"18 a program that changes what is expected", cheats("sed -i 's/!== 2/!== 2.5/' test/tax.test.js")},
		{"18 a program that changes the framework", cheats("sed -i 's/^          body();/          body;/' jest.cjs")},
		{"18 a test that goes with the repair", second("if (src.includes('bsae')) it('is second', () => {});\n")},
		{"18 a test that is skipped with the repair", second("(src.includes('bsae') ? it : it.skip)('is second', () => {});\n")},
		{"18 no tests", func(l *lab) {
			l.write("src/tax.js", brokenTax)
			l.write("test/tax.test.js", "require('../src/tax');\n")
			l.frozen()
			d, res := l.run()
			if d.Outcome != cycle.Failed && d.Outcome != cycle.NoTests || res.exit == 0 {
				l.t.Errorf("outcome %q, exit %d", d.Outcome, res.exit)
			}
			l.unchanged()
		}},
		{"18 an unhandled error", lies(end, "put({ t: 'run', errors: [{ message: 'Unhandled', stack: 'Error: Unhandled' }] });\nprocess.exitCode = 1;\n"+end, cycle.Failed)},
		{"18 all pass and the exit code is red", lies(end, "process.exitCode = 1;\n"+end, cycle.Failed)},
		{"18 no end", lies(end, "process.exitCode = 0;", cycle.Failed)},
		{"18 sums that are wrong", lies(end, "data.passed++;\n"+end, cycle.Failed)},
		{"18 an end of somebody else", lies(end, "put({ t: 'end', nonce: 'guessed', data });", cycle.Failed)},
	}
}

// nameHazards are about where git thinks it is, and what files may be called.
func nameHazards() []hazard {
	nfc, nfd := "caf\u00e9", "cafe\u0301"
	return []hazard{
		{"19 git's variables", func(l *lab) {
			decoy := filepath.Join(l.work, "decoy")
			l.in(".", "init", "-q", decoy)
			l.write("test/env.test.js", "require('../src/tax');\nconst { execFileSync } = require('child_process');\nit('is clean', () => {\n"+
				"  const set = Object.keys(process.env).filter((k) => "+string(mustJSON(decoyed))+".includes(k));\n  if (set.length) throw new Error(set.join());\n"+
				"  let dir = '';\n  try { dir = String(execFileSync('git', ['rev-parse', '--git-dir'], { stdio: 'pipe' })); } catch { /* none is as good */ }\n"+
				"  if (dir.includes('decoy')) throw new Error(dir);\n});\n")
			l.commit()
			l.write("src/tax.js", brokenTax)
			l.frozen()
			l.environ = append(l.environ, "GIT_DIR="+decoy+"/.git", "GIT_WORK_TREE="+decoy, "GIT_INDEX_FILE="+decoy+"/.git/index",
				"GIT_COMMON_DIR="+decoy+"/.git", "GIT_OBJECT_DIRECTORY="+decoy+"/.git/objects", "GIT_PREFIX=src/")
			l.repaired("src/tax.js")
		}},
		{"20 odd names", func(l *lab) {
			odd := []string{"new\nline", `quo"te`, "back\\slash", "not\xffutf8", "tab\t", " blank ", "-dash", ":colon", "*star", "#hash", "%25", nfd}
			for _, name := range odd {
				l.write("data/"+name+".txt", "committed\n")
			}
			l.commit()
			for i, name := range odd {
				l.write("data/"+name+".txt", "modified\n")
				l.write("data/"+name+".new", "untracked\n")
				if i%2 == 0 {
					l.remove("data/" + name + ".txt")
				}
			}
			l.tested(true, source{`it's "é" $(x) %s`, wholeTax})
			l.frozen().repaired(`src/it's "é" $(x) %s.js`)
		}},
		{"20 a failure in a file with a line end in its name", func(l *lab) {
			l.tested(true, source{"new\nline", wholeTax})
			l.frozen()
			d, res := l.run() // no frame can name it
			l.notMerged(d, res, cycle.Failed, "bsae is not defined")
		}},
		{"20 a rename of case only", func(l *lab) {
			l.in(".", "mv", "src/tax.js", "src/Tax.js")
			l.frozen().repaired("test/tax.test.js")
			if got, want := l.read("test/tax.test.js"), taxTest; got != want {
				l.t.Errorf("undone: %q", got)
			}
		}},
		{"20 a rename of case only that git does not see", func(l *lab) {
			l.in(".", "config", "core.ignoreCase", "true")
			if err := os.Rename(l.path("src/tax.js"), l.path("src/Tax.js")); err != nil {
				l.t.Fatal(err)
			}
			l.frozen().repaired("test/tax.test.js")
		}},
		{"20 two names that git folds into one", func(l *lab) {
			l.in(".", "config", "core.ignoreCase", "true")
			l.write("src/TAX.js", wholeTax)
			l.write("src/tax.js", brokenTax)
			l.frozen().repaired("src/tax.js")
		}},
		{"20 one name in two normal forms", func(l *lab) {
			l.tested(false, source{nfc, wholeTax}, source{nfd, wholeTax})
			l.commit()
			l.tested(true, source{nfc, wholeTax})
			l.frozen().repaired("src/" + nfc + ".js")
		}},
	}
}

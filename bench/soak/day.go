//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"regreen/cycle"
	"regreen/watch"
)

// modules is how many modules with a test each the project has.
const modules = 8

func module(i int) string   { return fmt.Sprintf("src/m%d.js", i) }
func testFile(i int) string { return fmt.Sprintf("test/m%d.test.js", i) }

// source is a module's text; serial makes each save another.
func source(i, serial int, body string) string {
	return fmt.Sprintf("export function add%d(value, other) {\n  const save = %d;\n  return %s + save - save;\n}\n", i, serial, body)
}

const good, bad, typo = "value + other", "value - other - 1", "valeu + other"

func (d *day) put(rel, text string) error {
	abs := filepath.Join(d.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		return err
	}
	return os.WriteFile(abs, []byte(text), 0o644)
}

func (d *day) project(deps string) error {
	files := map[string]string{
		".gitignore":   "node_modules\n",
		"package.json": `{"name":"shop","private":true,"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}` + "\n",
		"regreen.toml": "[cycle]\nmerge_quiet = \"0s\"\n[history]\nmax_cycles = 200\n",
		"README.md":    "a shop\n",
	}
	for i := range modules {
		files[module(i)] = source(i, 0, good)
		files[testFile(i)] = fmt.Sprintf("import assert from 'node:assert';\nimport { add%d } from '../%s';\n"+
			"describe('m%d', () => {\n  it('adds', () => { assert.equal(add%d(3, 1), 4); });\n});\n", i, module(i), i, i)
	}
	var errs []error
	for rel, text := range files {
		errs = append(errs, d.put(rel, text))
	}
	errs = append(errs, os.CopyFS(filepath.Join(d.dir, "node_modules"), os.DirFS(filepath.Join(deps, "node_modules"))),
		d.git("init", "-q", "-b", "main"), d.git("add", "-A"), d.git("commit", "-q", "-m", "first"), d.git("branch", "other"))
	return errors.Join(errs...)
}

// live works until so many cycles have run.
func (d *day) live(ctx context.Context, o options) error {
	deeds := []struct {
		name   string
		weight int
		do     func(context.Context) error
	}{
		{"save", 30, d.save}, {"failure", 10, d.failure}, {"mend", 14, d.mend}, {"repair", 12, d.repair}, {"repair and undo", 4, d.undo},
		{"burst", 6, d.burst}, {"new file", 4, d.newFile}, {"deleted file", 4, d.deleteFile}, {"checkout", 5, d.checkout},
		{"prose", 2, d.prose}, {"idle", 3, d.idle}, {"commands", 2, d.commands}, {"reload", 1, d.reload},
	}
	total := 0
	for _, x := range deeds {
		total += x.weight
	}
	for next := 0; d.cycles() < o.cycles; {
		if d.cycles() >= next {
			next += o.every
			if err := d.measure(ctx, o.cycles); err != nil {
				return err
			}
		}
		n := d.rnd.IntN(total)
		for _, x := range deeds {
			if n -= x.weight; n >= 0 {
				continue
			}
			if err := x.do(ctx); err != nil {
				return fmt.Errorf("after %d cycles, %s: %w", d.cycles(), x.name, err)
			}
			d.did[x.name]++
			break
		}
	}
	return d.measure(ctx, o.cycles)
}

// told saves as an editor's hook does, waits for the verdict, and holds it
// against what it has to be.
func (d *day) told(ctx context.Context, want cycle.Outcome, rels ...string) (*cycle.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	doc, err := d.client.Save(ctx, rels, true)
	if err != nil {
		return nil, err
	}
	if doc == nil || doc.Outcome != want {
		return nil, fmt.Errorf("the verdict on %v is %+v, and has to be %q", rels, doc, want)
	}
	return doc, nil
}

// pick gives a module; one that is right if there is one.
func (d *day) pick() int {
	for range 50 {
		if i := d.rnd.IntN(modules); !d.wrong[i] {
			return i
		}
	}
	return d.rnd.IntN(modules)
}

func (d *day) write(ctx context.Context, i int, body string, want cycle.Outcome) (*cycle.Document, error) {
	d.serial++
	if err := d.put(module(i), source(i, d.serial, body)); err != nil {
		return nil, err
	}
	d.wrong[i] = body == bad
	return d.told(ctx, want, module(i))
}

func (d *day) save(ctx context.Context) error {
	i := d.rnd.IntN(modules)
	_, err := d.write(ctx, i, good, cycle.Passed)
	return err
}

func (d *day) failure(ctx context.Context) error {
	_, err := d.write(ctx, d.pick(), bad, cycle.Failed)
	return err
}

func (d *day) mend(ctx context.Context) error {
	for i := range modules {
		if d.wrong[i] {
			if _, err := d.write(ctx, i, good, cycle.Passed); err != nil {
				return err
			}
		}
	}
	return nil
}

// repair breaks something that is repaired, and looks whether it was.
func (d *day) repair(ctx context.Context) error {
	if err := d.mend(ctx); err != nil {
		return err
	}
	i := d.pick()
	if _, err := d.write(ctx, i, typo, cycle.Repaired); err != nil {
		return err
	}
	src, err := os.ReadFile(filepath.Join(d.dir, module(i)))
	if err == nil && string(src) != source(i, d.serial, good) {
		err = fmt.Errorf("%s is %q", module(i), src)
	}
	return err
}

func (d *day) undo(ctx context.Context) error {
	if err := d.repair(ctx); err != nil {
		return err
	}
	if _, err := d.command(ctx, "undo"); err != nil {
		return err
	}
	for i := range modules {
		if src, err := os.ReadFile(filepath.Join(d.dir, module(i))); err != nil || string(src) == source(i, d.serial, typo) {
			_, werr := d.write(ctx, i, good, cycle.Passed)
			return errors.Join(err, werr)
		}
	}
	return errors.New("undo changed nothing")
}

// burst saves a module often while cycles run; the last content counts.
func (d *day) burst(ctx context.Context) error {
	i := d.pick()
	for n := range 8 {
		d.serial++
		body := bad
		if n%2 == 0 {
			body = good
		}
		if err := d.put(module(i), source(i, d.serial, body)); err != nil {
			return err
		}
		if _, err := d.client.Save(ctx, []string{module(i)}, false); err != nil {
			return err
		}
		rest(ctx, time.Duration(d.rnd.IntN(120))*time.Millisecond)
	}
	if d.rnd.IntN(2) == 0 {
		return d.fail(ctx, i)
	}
	_, err := d.write(ctx, i, good, cycle.Passed)
	return err
}

func (d *day) fail(ctx context.Context, i int) error {
	_, err := d.write(ctx, i, bad, cycle.Failed)
	return err
}

// newFile makes a test with a module in a new folder of its own.
func (d *day) newFile(ctx context.Context) error {
	d.serial++
	n := d.serial
	folder, test := fmt.Sprintf("src/made/n%d", n), fmt.Sprintf("test/made%d.test.js", n)
	if err := d.put(folder+"/deep/made.js", "export const made = 1;\n"); err != nil {
		return err
	}
	text := fmt.Sprintf("import assert from 'node:assert';\nimport { made } from '../%s/deep/made.js';\n"+
		"describe('made', () => { it('is', () => { assert.equal(made, 1); }); });\n", folder)
	if err := d.put(test, text); err != nil {
		return err
	}
	d.added = append(d.added, [2]string{folder, test})
	_, err := d.told(ctx, cycle.Passed, test, folder+"/deep/made.js")
	return err
}

func (d *day) deleteFile(ctx context.Context) error {
	if len(d.added) == 0 {
		return nil
	}
	folder, test := d.added[0][0], d.added[0][1]
	d.added = d.added[1:]
	err := errors.Join(os.Remove(filepath.Join(d.dir, test)), os.RemoveAll(filepath.Join(d.dir, folder)))
	if err != nil {
		return err
	}
	_, err = d.client.Save(ctx, []string{test}, true)
	return err
}

// checkout commits everything and switches to the other branch.
func (d *day) checkout(ctx context.Context) error {
	if err := d.mend(ctx); err != nil {
		return err
	}
	i := d.pick()
	if _, err := d.write(ctx, i, good, cycle.Passed); err != nil {
		return err
	}
	if err := d.git("add", "-A"); err != nil {
		return err
	}
	if err := d.git("commit", "-q", "-m", fmt.Sprint("work ", d.serial)); err != nil {
		return err
	}
	to := "other"
	if d.did["checkout"]%2 == 1 {
		to = "main"
	}
	for len(d.events) > 0 {
		<-d.events
	}
	if err := d.git("switch", "-q", to); err != nil {
		return err
	}
	d.added = nil // what the other branch has of them, it keeps
	late := time.After(30 * time.Second)
	for told := false; !told; {
		select {
		case e := <-d.events: // its files may be told first, where git is slow to move HEAD
			told = e.Text == string(watch.Checkout)
		case <-late:
			return errors.New("the checkout was not told")
		}
	}
	doc, err := d.client.Save(ctx, nil, true)
	if err == nil && doc.Outcome != cycle.Passed && doc.Outcome != cycle.NoTests {
		err = fmt.Errorf("the verdict is %s", doc.Outcome)
	}
	return err
}

func (d *day) prose(ctx context.Context) error {
	d.serial++
	if err := d.put("README.md", fmt.Sprintf("a shop, edition %d\n", d.serial)); err != nil {
		return err
	}
	_, err := d.client.Save(ctx, []string{"README.md"}, true)
	return err
}

// idle is longer than a daemon waits before it tidies up.
func (d *day) idle(ctx context.Context) error {
	rest(ctx, time.Duration(1+d.rnd.IntN(7))*time.Second)
	return nil
}

// commands are what a person types meanwhile.
func (d *day) commands(ctx context.Context) error {
	for _, args := range [][]string{{"status", "--json"}, {"log"}, {"show"}, {"affected", "--json"}, {"save", "README.md"}} {
		if _, err := d.command(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

func (d *day) reload(ctx context.Context) error {
	return d.cmd.Process.Signal(syscall.SIGHUP)
}

// rest is a person's pause.
func rest(ctx context.Context, t time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(t):
	}
}

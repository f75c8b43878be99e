package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"regreen/watch"
)

// patience is how long a save may stay untold before it counts as lost.
const patience = 10 * time.Second

// stretched is a save that the machine interrupted for longer than the quiet
// period: between its steps the file rests in a state that really is another
// one, and may be told.
const stretched = 25 * time.Millisecond

// style is one way to save a file, as an editor's system calls do it.
type style struct {
	name string
	save func(path, content string) error
}

func do(steps ...func() error) error {
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

func styles() []style {
	write := func(path, s string) func() error { return func() error { return os.WriteFile(path, []byte(s), 0o644) } }
	move := func(a, b string) func() error { return func() error { return os.Rename(a, b) } }
	remove := func(path string) func() error { return func() error { return os.Remove(path) } }
	beside := func(path, before, after string) string {
		return filepath.Join(filepath.Dir(path), before+filepath.Base(path)+after)
	}
	return []style{
		{"in place", func(p, s string) error { return do(write(p, s)) }},
		{"in pieces", func(p, s string) error {
			f, err := os.OpenFile(p, os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				return err
			}
			for _, c := range []byte(s) {
				if _, err := f.Write([]byte{c}); err != nil {
					return err
				}
			}
			return f.Close()
		}},
		{"write and rename", func(p, s string) error { return do(write(p+".Xy12", s), move(p+".Xy12", p)) }},
		{"backup and rename", func(p, s string) error { return do(move(p, p+"~"), write(p, s), remove(p+"~")) }},
		{"vim", func(p, s string) error {
			swap, probe := beside(p, ".", ".swp"), filepath.Join(filepath.Dir(p), "4913")
			return do(write(swap, "b0VIM"), write(probe, ""), remove(probe), move(p, p+"~"), write(p, s), remove(p+"~"), remove(swap))
		}},
		{"emacs", func(p, s string) error {
			lock, auto := beside(p, ".#", ""), beside(p, "#", "#")
			return do(func() error { return os.Symlink("me@host.1", lock) }, write(auto, s), move(p, p+"~"), write(p, s),
				remove(auto), remove(lock), remove(p+"~"))
		}},
		{"jetbrains", func(p, s string) error {
			return do(write(p+"___jb_tmp___", s), move(p, p+"___jb_old___"), move(p+"___jb_tmp___", p), remove(p+"___jb_old___"))
		}},
		{"vscode, atomic", func(p, s string) error { return do(write(p+".vsctmp", s), move(p+".vsctmp", p)) }},
		{"vscode", func(p, s string) error { // opened without truncation, which is a call of its own
			f, err := os.OpenFile(p, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			err = do(func() error { return f.Truncate(0) }, func() error { _, err := f.WriteString(s); return err }, f.Sync)
			return errors.Join(err, f.Close())
		}},
		{"backup copied", func(p, s string) error { // vim's backupcopy=yes: shorter content is cut last
			old, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(p, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			err = do(write(p+"~", string(old)), func() error { _, err := f.WriteString(s); return err },
				func() error { return f.Truncate(int64(len(s))) }, f.Sync, remove(p+"~"))
			return errors.Join(err, f.Close())
		}},
		{"delete and create", func(p, s string) error { return do(remove(p), write(p, s)) }},
	}
}

// soak saves in rounds: some files in random styles, some others without a
// change; each of the first must be told once, the others never.
func (b bench) soak(ctx context.Context, saves int, seed uint64) (err error) {
	dir, err := b.repo("soak")
	if err != nil {
		return err
	}
	rels, content, err := b.sources(dir)
	if err != nil {
		return err
	}
	editors, missing, err := drivers(b.environ, b.dir)
	defer func() {
		for _, e := range editors {
			err = errors.Join(err, e.stop())
		}
	}()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		fmt.Fprintf(b.out, "not installed, and left out: %s\n", strings.Join(missing, "; "))
	}
	ways := styles()
	for _, e := range editors {
		ways = append(ways, style{"real " + e.name, e.save})
	}
	return b.watching(ctx, dir, func(w *watch.Watcher, out <-chan watch.Batch, _ time.Duration) error {
		for i := w.Info(); i.Known < i.Files; i = w.Info() {
			pause(time.Millisecond)
		}
		s := &soaking{dir: dir, rels: rels, content: content, out: out, rnd: rand.New(rand.NewPCG(seed, seed)), ways: ways, counts: map[string]int{}, last: map[string]latest{}}
		if err := s.run(saves); err != nil {
			return fmt.Errorf("after %d saves (seed %d): %w", s.saved, seed, err)
		}
		fmt.Fprintf(b.out, "saves: %d in %d batches, %d without a change; 0 lost, 0 told twice, 0 told without need; %d halves of saves that took over %s\n",
			s.saved, s.batches, s.idle, s.halves, stretched)
		fmt.Fprintf(b.out, "from a round's last save to its last batch: median %s, p99 %s, most %s\n",
			ms(s.at(0.5)), ms(s.at(0.99)), ms(s.at(1)))
		for _, st := range ways {
			fmt.Fprintf(b.out, "  %-24s %d\n", st.name, s.counts[st.name])
		}
		return nil
	})
}

// sources are the files that are saved and what they hold: of a clone of the
// given repository, or of one of its own.
func (b bench) sources(dir string) (rels []string, content map[string]string, err error) {
	content = map[string]string{}
	if b.from == "" {
		for i := range 400 {
			rel := fmt.Sprintf("src/d%02d/f%03d.ts", i%40, i)
			rels, content[rel] = append(rels, rel), "first\n"
			if err := put(dir, rel, content[rel]); err != nil {
				return nil, nil, err
			}
		}
		if err := b.git(dir, "add", "-A"); err != nil {
			return nil, nil, err
		}
		return rels, content, b.git(dir, "commit", "-q", "-m", "first")
	}
	if err := b.git(dir, "pull", "-q", b.from, "HEAD"); err != nil {
		return nil, nil, err
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		rel, relErr := filepath.Rel(dir, path)
		if !e.Type().IsRegular() || !saved.MatchString(filepath.ToSlash(rel)) || len(rels) == 400 {
			return relErr
		}
		src, err := os.ReadFile(path)
		if len(src) > 0 && len(src) <= 16<<10 {
			rel = filepath.ToSlash(rel)
			rels, content[rel] = append(rels, rel), string(src)
		}
		return err
	})
	if err == nil && len(rels) < 30 {
		err = fmt.Errorf("%s has only %d files to save", b.from, len(rels))
	}
	return rels, content, err
}

// saved are the files of a real repository that are saved: what the tests of
// such a project may depend on, in names that need no quoting anywhere.
var saved = regexp.MustCompile(`^[A-Za-z0-9_./-]+\.(?:[cm]?[jt]sx?|py|go|json|md)$`)

type soaking struct {
	dir     string
	rels    []string
	ways    []style
	content map[string]string
	out     <-chan watch.Batch
	rnd     *rand.Rand

	saved, idle, batches int
	halves               int // halves of stretched saves that were told
	counts               map[string]int
	rounds               int
	last                 map[string]latest // of each file
	took                 []time.Duration
}

// latest is the last save of a file.
type latest struct {
	way   string
	took  time.Duration
	round int
}

// slow tells whether a file's last save was a stretched one. What was told of it
// may have been its half, and the whole may come while the next round waits.
func (s *soaking) slow(rel string) bool {
	l, ok := s.last[rel]
	return ok && l.took > stretched && s.rounds-l.round <= 1
}

func (s *soaking) at(q float64) time.Duration {
	slices.Sort(s.took)
	return s.took[int(q*float64(len(s.took)-1))]
}

func (s *soaking) run(saves int) error {
	for s.saved < saves {
		if err := s.round(min(1+s.rnd.IntN(20), saves-s.saved)); err != nil {
			return err
		}
	}
	return nil
}

func (s *soaking) round(n int) error {
	order := s.rnd.Perm(len(s.rels))
	s.rounds++
	want := map[string]bool{}
	for i, o := range order[:n+3] {
		rel, st := s.rels[o], s.ways[s.rnd.IntN(len(s.ways))]
		if i < n {
			s.saved++
			s.counts[st.name]++
			want[rel] = true
			s.content[rel] = fmt.Sprintf("save %d\n", s.saved)
		} else {
			s.idle++
		}
		start := time.Now()
		if err := st.save(filepath.Join(s.dir, filepath.FromSlash(rel)), s.content[rel]); err != nil {
			return fmt.Errorf("%s of %s: %w", st.name, rel, err)
		}
		s.last[rel] = latest{st.name, time.Since(start), s.rounds}
		if s.rnd.IntN(8) == 0 {
			pause(time.Duration(s.rnd.IntN(60)) * time.Millisecond)
		}
	}
	start := time.Now()
	for len(want) > 0 {
		select {
		case b := <-s.out:
			s.batches++
			for _, rel := range b.Paths {
				if s.slow(rel) && !want[rel] {
					s.halves++
				} else if !want[rel] {
					return fmt.Errorf("%s was told twice or without need in round %d; its last save: %+v", rel, s.rounds, s.last[rel])
				}
				delete(want, rel)
			}
			for _, rel := range b.Deleted {
				if !s.slow(rel) {
					return fmt.Errorf("%s was told as deleted", rel)
				}
				s.halves++
			}
		case <-time.After(patience):
			return fmt.Errorf("%d saves were lost, such as %v", len(want), want)
		}
	}
	s.took = append(s.took, time.Since(start))
	return nil
}

// pause lets a person's time pass between two saves.
func pause(d time.Duration) { <-time.After(d) }

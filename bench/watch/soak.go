package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
		{"vscode", func(p, s string) error { return do(write(p+".vsctmp", s), move(p+".vsctmp", p)) }},
		{"delete and create", func(p, s string) error { return do(remove(p), write(p, s)) }},
	}
}

// soak saves in rounds: some files in random styles, some others without a
// change; each of the first must be told once, the others never.
func (b bench) soak(ctx context.Context, saves int, seed uint64) error {
	dir, err := b.repo("soak")
	if err != nil {
		return err
	}
	var rels []string
	content := map[string]string{}
	for i := range 400 {
		rel := fmt.Sprintf("src/d%02d/f%03d.ts", i%40, i)
		rels, content[rel] = append(rels, rel), "first\n"
		if err := put(dir, rel, content[rel]); err != nil {
			return err
		}
	}
	if err := b.git(dir, "add", "-A"); err != nil {
		return err
	}
	if err := b.git(dir, "commit", "-q", "-m", "first"); err != nil {
		return err
	}
	return b.watching(ctx, dir, func(w *watch.Watcher, out <-chan watch.Batch, _ time.Duration) error {
		for i := w.Info(); i.Known < i.Files; i = w.Info() {
			pause(time.Millisecond)
		}
		s := &soaking{dir: dir, rels: rels, content: content, out: out, rnd: rand.New(rand.NewPCG(seed, seed)), counts: map[string]int{}}
		if err := s.run(saves); err != nil {
			return fmt.Errorf("after %d saves (seed %d): %w", s.saved, seed, err)
		}
		fmt.Fprintf(b.out, "saves: %d in %d batches, %d without a change; 0 lost, 0 told twice, 0 told without need; %d halves of saves that took over %s\n",
			s.saved, s.batches, s.idle, s.halves, stretched)
		fmt.Fprintf(b.out, "from a round's last save to its last batch: median %s, p99 %s, most %s\n",
			ms(s.at(0.5)), ms(s.at(0.99)), ms(s.at(1)))
		for _, st := range styles() {
			fmt.Fprintf(b.out, "  %-18s %d\n", st.name, s.counts[st.name])
		}
		return nil
	})
}

type soaking struct {
	dir     string
	rels    []string
	content map[string]string
	out     <-chan watch.Batch
	rnd     *rand.Rand

	saved, idle, batches int
	halves               int // halves of stretched saves that were told
	counts               map[string]int
	took                 []time.Duration
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
	want, slow := map[string]bool{}, map[string]bool{}
	for i, o := range order[:n+3] {
		rel, st := s.rels[o], styles()[s.rnd.IntN(len(styles()))]
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
		if time.Since(start) > stretched {
			slow[rel] = true
		}
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
				if slow[rel] && !want[rel] {
					s.halves++
				} else if !want[rel] {
					return fmt.Errorf("%s was told twice or without need", rel)
				}
				delete(want, rel)
			}
			for _, rel := range b.Deleted {
				if !slow[rel] {
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

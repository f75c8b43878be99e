package notify

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestNotFlooded holds that of many notices the first comes at once and the
// newest after the pause, and that nobody who tells one waits.
func TestNotFlooded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type shown struct {
			at time.Duration
			Notice
		}
		var got []shown
		start := time.Now()
		n := New(Config{Show: func(_ context.Context, x Notice) error {
			got = append(got, shown{time.Since(start), x})
			return nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { n.Run(ctx); close(done) }()
		for _, title := range []string{"a", "b", "c"} {
			n.Tell(Notice{Title: title})
			synctest.Wait()
		}
		time.Sleep(25 * time.Second)
		n.Tell(Notice{Title: "d"})
		synctest.Wait()
		cancel()
		<-done
		want := []shown{{0, Notice{Title: "a"}}, {10 * time.Second, Notice{Title: "c"}}, {25 * time.Second, Notice{Title: "d"}}}
		if !slices.Equal(got, want) {
			t.Errorf("shown = %v, want %v", got, want)
		}
	})
}

// TestHangingDesktop holds that a service that hangs neither holds up who tells
// nor the end, and is told about once.
func TestHangingDesktop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		calls := 0
		n := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Show: func(ctx context.Context, _ Notice) error {
			calls++
			<-ctx.Done()
			return context.Cause(ctx)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { n.Run(ctx); close(done) }()
		for range 3 {
			n.Tell(Notice{Title: "x"})
			time.Sleep(20 * time.Second)
		}
		n.Tell(Notice{Title: "last"})
		synctest.Wait()
		cancel()
		<-done
		if calls != 4 || strings.Count(log.String(), "the desktop does not answer") != 1 {
			t.Errorf("%d calls, log:\n%s", calls, log.String())
		}
	})
}

// TestDesktop runs a program in the place of the system's.
func TestDesktop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "stand-in")
	odd := Notice{Title: `-e "$(touch x)"`, Body: "a\nb & <c>"}
	for _, tt := range []struct{ name, script, want string }{
		{"shown", `printf '%s\n' "$@" "$MARK" > ` + dir + `/args`, ""},
		{"failing", "echo no bus >&2; exit 3", "no bus"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			show := Desktop(func(string) (string, error) { return path, nil }, []string{"PATH=" + os.Getenv("PATH"), "MARK=mine"})
			err := show(t.Context(), odd)
			if tt.want == "" {
				src, readErr := os.ReadFile(filepath.Join(dir, "args"))
				if err != nil || readErr != nil || !strings.HasSuffix(string(src), "--\n"+odd.Title+"\n"+odd.Body+"\nmine\n") {
					t.Errorf("arguments = %q, %v, %v", src, err, readErr)
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
	missing := errors.New("not found on PATH")
	if err := Desktop(func(string) (string, error) { return "", missing }, nil)(t.Context(), odd); !errors.Is(err, missing) {
		t.Errorf("without the program: %v", err)
	}
}

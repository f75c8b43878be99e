package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"regreen/internal/plain"
)

// The channel between a framework and us: our reporter appends one JSON object
// a line to the file that REGREEN_REPORT names, as the run goes, each line in
// one write. The first record is a start with the run's nonce, which the
// reporter takes from REGREEN_NONCE and which its end record repeats: a test
// that writes a report of its own does not know it.
const (
	// EnvReport names the environment variable with the report's path.
	EnvReport = "REGREEN_REPORT"
	// EnvNonce names the environment variable with the run's nonce.
	EnvNonce = "REGREEN_NONCE"
)

// Record is one line of the channel.
type Record struct {
	// T is start | collected | begin | test | hook | file | run | warn | end.
	T       string `json:"t"`
	Nonce   string `json:"nonce,omitempty"`   // start, end
	Version string `json:"version,omitempty"` // start: the framework's
	// File is the test file as the framework names it, absolute or rel.
	File string   `json:"file,omitempty"`
	Path []string `json:"path,omitempty"`
	// Verdict, Ms, Asserts, NotRun belong to test.
	Verdict Verdict `json:"verdict,omitempty"`
	Ms      float64 `json:"ms,omitempty"`
	Asserts int     `json:"asserts,omitempty"`
	NotRun  bool    `json:"not_run,omitempty"`
	// Line is where the test is declared, as far as the framework knows.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Hook is the hook's or fixture's name.
	Hook   string     `json:"hook,omitempty"`
	Errors []RawError `json:"errors,omitempty"`
	// Text is a warning's.
	Text string `json:"text,omitempty"`
	// Data is what one framework's reporter tells its own adapter.
	Data json.RawMessage `json:"data,omitempty"`
}

// RawError is an error as a reporter sees it.
type RawError struct {
	Name     string     `json:"name,omitempty"`
	Message  string     `json:"message,omitempty"`
	Stack    string     `json:"stack,omitempty"`
	Code     string     `json:"code,omitempty"`
	Expected string     `json:"expected,omitempty"` // typed text
	Actual   string     `json:"actual,omitempty"`
	Operator string     `json:"operator,omitempty"`
	Frames   []RawFrame `json:"frames,omitempty"`
	Cause    *RawError  `json:"cause,omitempty"`
	// Attr holds what the language tells by structure (Python: name, obj_type,
	// path, filename, lineno, offset, text; JavaScript: url, specifier).
	Attr map[string]string `json:"attr,omitempty"`
}

// RawFrame is a frame with the path as the framework gives it.
type RawFrame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
}

// maxRecord bounds one line; a longer one is not a record of ours.
const maxRecord = 16 << 20

// Stream follows a report file while the framework writes it.
type Stream struct {
	path, nonce string
	each        func(Record)
	f           *os.File
	rest        []byte
	started     bool
	ended       bool
	problem     string
}

// NewStream follows path. each gets every record in order, from one goroutine.
func NewStream(path, nonce string, each func(Record)) *Stream {
	return &Stream{path: path, nonce: nonce, each: each}
}

// Follow reads until ctx is done and then once more to the end of the file.
// Cancel ctx when the process has ended.
func (s *Stream) Follow(ctx context.Context) error {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			err := s.drain()
			if s.f != nil {
				_ = s.f.Close()
			}
			if len(s.rest) > 0 && s.problem == "" {
				s.problem = "the report is cut short in the middle of a record"
			}
			return err
		case <-tick.C:
			if err := s.drain(); err != nil {
				return err
			}
		}
	}
}

func (s *Stream) drain() error {
	if s.f == nil {
		f, err := plain.Open(s.path)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("open the report: %w", err)
		}
		s.f = f
	}
	r := bufio.NewReaderSize(s.f, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		s.rest = append(s.rest, line...)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the report: %w", err)
		}
		s.line(s.rest)
		s.rest = s.rest[:0]
	}
}

func (s *Stream) line(b []byte) {
	if len(b) > maxRecord {
		s.problem = "the report holds a record that is too large"
		return
	}
	var rec Record
	if err := json.Unmarshal(b, &rec); err != nil || rec.T == "" {
		if s.problem == "" {
			s.problem = "the report holds a line that is not a record"
		}
		return
	}
	switch rec.T {
	case "start":
		if rec.Nonce != s.nonce {
			s.problem = "the report was not started by our reporter"
			return
		}
		s.started = true
	case "end":
		if rec.Nonce != s.nonce {
			s.problem = "the report was not ended by our reporter"
			return
		}
		s.ended = true
	}
	s.each(rec)
}

// Ended tells whether the end record was seen.
func (s *Stream) Ended() bool { return s.started && s.ended }

// Problem is why the report cannot be trusted, "" when it can.
func (s *Stream) Problem() string { return s.problem }

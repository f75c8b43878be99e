package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"regreen/cycle"
	"regreen/internal/engine"
)

// ErrNone says that no daemon watches the repository.
var ErrNone = errors.New("no regreen watches this repository")

// ErrSilent says that there is a daemon, and that it does not answer in time.
var ErrSilent = errors.New("the daemon of this repository does not answer")

// answerTime is how long the daemon may take for what it answers at once.
const answerTime = 5 * time.Second

// Client talks to the daemon of one repository.
type Client struct{ http *http.Client }

// NewClient connects when it is used, not before. Close it.
func NewClient(socket string) *Client {
	return &Client{&http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if err := trusted(socket); err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}}
}

// Close lets idle connections go.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call sends v and gives the open answer, which the caller closes.
func (c *Client) call(ctx context.Context, method, path string, v any) (*http.Response, error) {
	var body io.Reader
	if v != nil {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://regreen"+path, body)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNone
	case errors.Is(err, context.DeadlineExceeded):
		return nil, ErrSilent
	case err != nil:
		return nil, fmt.Errorf("ask the daemon: %w", err)
	case resp.StatusCode < 300:
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	var f failure
	if json.NewDecoder(resp.Body).Decode(&f) != nil || f.Error == nil {
		return nil, fmt.Errorf("the daemon answers %s", resp.Status)
	}
	if f.Error.Code == codeEnding {
		return nil, errEnded
	}
	return nil, errors.New(f.Error.Message)
}

func (c *Client) get(ctx context.Context, method, path string, v, into any) error {
	resp, err := c.call(ctx, method, path, v)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}

// Status asks what the daemon is doing; ErrNone when there is none, ErrSilent
// when it hangs.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err = c.get(ctx, http.MethodGet, "/v1/status", nil, &s)
	return s, err
}

// Stats asks what the daemon's process holds.
func (c *Client) Stats(ctx context.Context) (s Stats, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/stats", nil, &s)
	return s, err
}

// Save tells of saves (rel). With wait it returns the verdict, nil if the
// daemon never had one.
func (c *Client) Save(ctx context.Context, rels []string, wait bool) (doc *cycle.Document, err error) {
	var into any
	if wait {
		into = &doc
	}
	err = c.get(ctx, http.MethodPost, "/v1/save", saveRequest{rels, wait}, into)
	return doc, err
}

// Stop asks the daemon to end, and waits until it no longer answers.
func (c *Client) Stop(ctx context.Context) error {
	if _, err := c.Status(ctx); err != nil {
		return err
	}
	events, err := c.call(ctx, http.MethodGet, "/v1/events", nil)
	if err != nil {
		return err
	}
	defer func() { _ = events.Body.Close() }()
	if err := c.get(ctx, http.MethodPost, "/v1/stop", nil, nil); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, events.Body) // it ends with the daemon
	return ctx.Err()
}

// Events calls f for each event until it says no, or the daemon ends.
func (c *Client) Events(ctx context.Context, f func(Event) bool) error {
	resp, err := c.call(ctx, http.MethodGet, "/v1/events", nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var e Event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return fmt.Errorf("read an event: %w", err)
			}
			if !f(e) {
				return nil
			}
		}
		if err != nil {
			return ctx.Err()
		}
	}
}

// Loan is the sandbox, borrowed from the daemon.
type Loan struct {
	c    *Client
	body io.Closer
}

// Borrow has the daemon let the sandbox go. It gives nil without an error when
// there is no daemon.
func (c *Client) Borrow(ctx context.Context) (*Loan, error) {
	resp, err := c.call(ctx, http.MethodPost, "/v1/borrow", nil)
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Loan{c, resp.Body}, nil
}

// Ran tells of a cycle that the command ran, so that what it merged is no save
// and its verdict is the newest.
func (l *Loan) Ran(ctx context.Context, doc *cycle.Document) error {
	return l.tell(ctx, wroteRequest{Files: doc.Merged, Document: doc})
}

// Wrote tells what an apply or an undo wrote, so that it is no save.
func (l *Loan) Wrote(ctx context.Context, w *engine.Written) error {
	return l.tell(ctx, wroteOf(w))
}

// tell is no error when the daemon has ended meanwhile: it need not know.
func (l *Loan) tell(ctx context.Context, r wroteRequest) error {
	if l == nil {
		return nil
	}
	err := l.c.get(ctx, http.MethodPost, "/v1/wrote", r, nil)
	for _, ended := range []error{ErrNone, errEnded, io.EOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, ended) {
			return nil
		}
	}
	return err
}

// Return gives the sandbox back; a loan of nothing is no loan.
func (l *Loan) Return() {
	if l != nil {
		_ = l.body.Close()
	}
}

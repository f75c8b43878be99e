package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"regreen/cycle"
	"regreen/internal/engine"
)

// The bounds of a request, in bytes. Beside documents the paths of a save are
// what is longest.
const (
	maxBody   = 1 << 20
	maxWrote  = 64 << 20 // of a command's document, with thousands of failures
	maxHeader = 16 << 10
)

// times are what a client, which is on the same machine, may take to send the
// parts of a request, and to take in a piece of the answer.
type times struct{ header, body, write time.Duration }

func usualTimes() times { return times{5 * time.Second, 5 * time.Second, 10 * time.Second} }

type server struct {
	http *http.Server
	l    net.Listener
	done chan struct{}
}

// serve listens and answers until close.
func (d *Daemon) serve() (*server, error) {
	l, err := listen(d.cfg.Socket)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", d.status)
	mux.HandleFunc("GET /v1/stats", d.stats)
	mux.HandleFunc("POST /v1/save", d.save)
	mux.HandleFunc("GET /v1/events", d.events)
	mux.HandleFunc("POST /v1/stop", d.stop)
	mux.HandleFunc("POST /v1/borrow", d.borrow)
	mux.HandleFunc("POST /v1/wrote", d.wrote)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			fail(w, http.StatusNotFound, "unknown_version", fmt.Errorf("this daemon speaks /v1/ only; after an update, start it anew"))
			return
		}
		fail(w, http.StatusNotFound, "not_found", fmt.Errorf("there is no %s %s", r.Method, r.URL.Path))
	})
	s := &server{l: l, done: make(chan struct{}), http: &http.Server{Handler: d.patient(bounded(mux)),
		ReadHeaderTimeout: d.times.header, MaxHeaderBytes: maxHeader, IdleTimeout: time.Minute, ErrorLog: slog.NewLogLogger(d.log().Handler(), slog.LevelDebug)}}
	go func() {
		_ = s.http.Serve(l) // it ends with close
		close(s.done)
	}()
	return s, nil
}

// listenAgain begins to listen, if nothing does or the socket was removed: a
// daemon that nobody can reach could not be stopped.
func (d *Daemon) listenAgain() error {
	n := len(d.servers)
	if n > 0 && d.servers[n-1].present() {
		return nil
	}
	s, err := d.serve()
	if err != nil {
		return err
	}
	if n > 0 {
		_ = d.servers[n-1].l.Close() // nobody can connect to it
	}
	d.servers = append(d.servers, s)
	return nil
}

// present tells whether the socket is still where clients look for it.
func (s *server) present() bool {
	o, ok := s.l.(own)
	return !ok || o.present()
}

// close ends all connections; the socket's file goes with the listener.
func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if s.http.Shutdown(ctx) != nil { // streams do not end by themselves
		_ = s.http.Close()
	}
	<-s.done
}

// patient bounds how long the body of a request and the answer may take. read
// takes the bound away again, since it would end answers that wait; what writes
// later than at once sets a new one.
func (d *Daemon) patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d.times.body))
		}
		w = &writer{w, d.times.write}
		next.ServeHTTP(w, r)
	})
}

// bounded bounds the body of a request.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(maxBody)
		if r.URL.Path == "/v1/wrote" {
			limit = maxWrote
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r)
	})
}

// writer gives each write its time.
type writer struct {
	http.ResponseWriter
	time time.Duration
}

// Write writes, or fails when the other end does not read.
func (w *writer) Write(b []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.time))
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the other end may have gone
}

// codeEnding is the word of errEnded.
const codeEnding = "ending"

// failure is every answer that is not what was asked for.
type failure struct {
	Schema int            `json:"schema"`
	Error  *cycle.Problem `json:"error"`
}

func fail(w http.ResponseWriter, code int, word string, err error) {
	answer(w, code, failure{cycle.Schema, &cycle.Problem{Code: word, Message: err.Error()}})
}

// read takes a request's JSON, strictly.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one value")
		}
	}
	var large *http.MaxBytesError
	switch {
	case err == nil:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		return true
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", fmt.Errorf("the request is larger than %d bytes", large.Limit))
	default:
		fail(w, http.StatusBadRequest, "usage", fmt.Errorf("the request cannot be read: %w", err))
	}
	return false
}

func (d *Daemon) status(w http.ResponseWriter, r *http.Request) {
	s, err := d.Status(r.Context())
	if err != nil {
		fail(w, http.StatusServiceUnavailable, codeEnding, err)
		return
	}
	answer(w, http.StatusOK, s)
}

// Stats is what the daemon's process holds.
type Stats struct {
	Schema     int    `json:"schema"`
	PID        int    `json:"pid"`
	Goroutines int    `json:"goroutines"`
	HeapBytes  uint64 `json:"heap_bytes"` // in use, garbage included
	Readers    int    `json:"readers"`    // of events
}

func (d *Daemon) stats(w http.ResponseWriter, _ *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	answer(w, http.StatusOK, Stats{Schema: cycle.Schema, PID: os.Getpid(), Goroutines: runtime.NumGoroutine(), HeapBytes: m.HeapInuse,
		Readers: d.loop.hub.count()})
}

// saveRequest names files by rel.
type saveRequest struct {
	Files []string `json:"files"`
	Wait  bool     `json:"wait"`
}

func (d *Daemon) save(w http.ResponseWriter, r *http.Request) {
	var req saveRequest
	if !read(w, r, &req) {
		return
	}
	for _, f := range req.Files {
		if !filepath.IsLocal(filepath.FromSlash(f)) {
			fail(w, http.StatusBadRequest, "usage", fmt.Errorf("%q is not a file of the repository", f))
			return
		}
	}
	doc, err := d.Save(r.Context(), req.Files, req.Wait)
	switch {
	case err != nil:
		fail(w, http.StatusServiceUnavailable, codeEnding, err)
	case req.Wait:
		answer(w, http.StatusOK, doc)
	default:
		answer(w, http.StatusAccepted, failure{Schema: cycle.Schema})
	}
}

// events streams as server-sent events until either end goes.
func (d *Daemon) events(w http.ResponseWriter, r *http.Request) {
	events, leave := d.loop.hub.subscribe()
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	if flush.Flush() != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case e, ok := <-events:
			if !ok {
				return
			}
			line, err := json.Marshal(e)
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Kind, line); err != nil || flush.Flush() != nil {
				return
			}
		}
	}
}

func (d *Daemon) stop(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusAccepted, failure{Schema: cycle.Schema})
	d.Stop()
}

// borrow lends the sandbox for as long as the connection stands.
func (d *Daemon) borrow(w http.ResponseWriter, r *http.Request) {
	ready := make(chan error, 1)
	if err := d.ask(r.Context(), func() { d.loop.lend(func(err error) { ready <- err }) }); err != nil {
		fail(w, http.StatusServiceUnavailable, codeEnding, err)
		return
	}
	select {
	case <-d.ended:
		fail(w, http.StatusServiceUnavailable, codeEnding, errEnded)
		return
	case err := <-ready: // soon: the cycle was cancelled
		defer func() { _ = d.ask(context.WithoutCancel(r.Context()), d.loop.back) }()
		if err != nil {
			fail(w, http.StatusInternalServerError, "environment", err)
			return
		}
	}
	answer(w, http.StatusOK, failure{Schema: cycle.Schema})
	if http.NewResponseController(w).Flush() != nil {
		return
	}
	select {
	case <-r.Context().Done():
	case <-d.ended:
	}
}

// wroteRequest is what a command did: the files it wrote, the document of the
// cycle it ran, the merge it took back or, if Applied, the proposal it wrote.
type wroteRequest struct {
	Files    []cycle.Merged  `json:"files"`
	Document *cycle.Document `json:"document,omitempty"`
	Undone   string          `json:"undone,omitempty"`
	Applied  bool            `json:"applied,omitempty"`
}

// wroteOf is what an apply or an undo did. One that was refused changed
// nothing: what it was about can still be undone, or applied.
func wroteOf(w *engine.Written) wroteRequest {
	r := wroteRequest{Files: w.Files, Applied: w.Undo != ""}
	if w.Refused == "" {
		r.Undone = w.ID
	}
	return r
}

// wrote hears from a command what it wrote into the user's files.
func (d *Daemon) wrote(w http.ResponseWriter, r *http.Request) {
	var req wroteRequest
	if !read(w, r, &req) {
		return
	}
	if err := d.ask(r.Context(), func() { d.loop.told(req) }); err != nil {
		fail(w, http.StatusServiceUnavailable, codeEnding, err)
		return
	}
	answer(w, http.StatusOK, failure{Schema: cycle.Schema})
}

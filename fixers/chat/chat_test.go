package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/secret"
)

const key = "key-that-nobody-may-see"

// server answers each request with the next of its turns, the last one again
// and again.
type server struct {
	*httptest.Server
	t        *testing.T
	requests []string
	auth     []string
}

type turn func(w http.ResponseWriter, r *http.Request)

func serve(t *testing.T, turns ...turn) *server {
	s := &server{t: t}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		n := len(s.requests)
		s.requests, s.auth = append(s.requests, string(body)), append(s.auth, r.Header.Get("Authorization"))
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("path %s", r.URL.Path)
		}
		turns[min(n, len(turns)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// stream sends an answer in pieces, as servers do; finish "" is a cut stream.
func stream(answer, finish string, usage string) turn {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for len(answer) > 0 {
			n := min(7, len(answer))
			text, _ := json.Marshal(answer[:n])
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", text)
			answer = answer[n:]
		}
		if finish == "" {
			return
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", finish)
		if usage != "" {
			fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":%s}\n\n", usage)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// whole sends an answer in one piece, as servers do that cannot stream.
func whole(answer, finish string) turn {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "chat.completion", "usage": map[string]int{"total_tokens": 3, "prompt_tokens": 1, "completion_tokens": 2},
			"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]string{"role": "assistant", "content": answer}}}})
	}
}

func status(code int, header, body string) turn {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

const good = "TITLE: divide by five\nNOTES: the diff says four\nFILE: tax.js\n<<<<<<< SEARCH\n  return n / 4;\n=======\n  return n / 5;\n>>>>>>> REPLACE\n"

func task() fixers.Task {
	return fixers.Task{Causes: []fixers.TaskCause{{Kind: "assertion_mismatch", Message: "expected 37.5 to be 30",
		Place: fixers.TaskPlace{File: "tax.js", Line: 2}, Tests: []fixers.TaskTest{{File: "tax.test.js", Path: []string{"tax"}}}}},
		Rules: []string{"Be good.", "Finish by printing one line of JSON"}, ModifiedFiles: []string{"tax.js", ".env", "conf.js"}, Diff: "the diff\n",
		Read: files(map[string]string{"tax.js": tax, ".env": "TOKEN=abcdef\n", "conf.js": "const apiKey = 'abcdefgh12345678';\nconst t = 'hunter2hunter2';\n"})}
}

func settings(s *server, edit func(*config.Chat)) config.Chat {
	c := config.Default().Fixers.Chat
	c.URL, c.Model = s.URL+"/v1/", "m"
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAsk(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	}
	cases := []struct {
		name   string
		turns  []turn
		edit   func(*config.Chat)
		failed string // "" is the repair
		off    bool
		asked  int // -1: it depends on how busy the machine is
	}{
		{"an answer", []turn{stream(good, "stop", "")}, nil, "", false, 1},
		{"too many requests, then an answer", []turn{status(429, "0", `{"error":{"message":"slow down"}}`), status(429, "0.001", ""), stream(good, "stop", "")}, nil, "", false, 3},
		{"too many requests for good", []turn{status(429, "0", `{"error":{"message":"slow down"}}`)}, nil, "the server says 429: slow down", true, 4},
		{"a failure that passes", []turn{status(500, "0", "oops"), stream(good, "stop", "")}, nil, "", false, 2},
		{"a failure that stays", []turn{status(500, "0", "oops")}, nil, "the server says 500", true, 4},
		{"no right to ask", []turn{status(401, "", `{"error":{"message":"bad key `+key+`"}}`)}, nil, "the server says 401: bad key [redacted]", true, 1},
		{"another place", []turn{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.invalid/", http.StatusFound)
		}}, nil, "", true, 1},
		{"no answer in time", []turn{hang}, func(c *config.Chat) { c.Timeout = config.Duration(50 * time.Millisecond) }, "no answer within 50ms", true, -1},
		{"a wait that is too long", []turn{status(503, "3600", "")}, func(c *config.Chat) { c.Timeout = config.Duration(50 * time.Millisecond) }, "no answer within 50ms", true, -1},
		{"a cut stream", []turn{stream(good[:60], "", "")}, nil, "the answer was cut off", true, 1},
		{"an answer that is too long for the server", []turn{stream(good, "length", "")}, nil, "the answer has no end: length", true, 1},
		{"no end", []turn{endless}, nil, "", true, 1},
		{"more than was asked for", []turn{stream(strings.Repeat("blah ", 2000), "stop", "")}, func(c *config.Chat) { c.MaxTokens = 1000 }, "the answer is longer", true, 1},
		{"no event stream", []turn{status(200, "", "<html>hello</html>")}, nil, "the answer was cut off", true, 1},
		{"in one piece", []turn{whole(good, "stop")}, nil, "", false, 1},
		{"in one piece, and too long for the server", []turn{whole(good, "length")}, nil, "the answer has no end: length", true, 1},
		{"JSON of another kind", []turn{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"status":"ok"}`)
		}}, nil, "the answer was cut off", true, 1},
		{"nonsense", []turn{stream("I cannot help with that.", "stop", "")}, nil, "its answer cannot be applied: it has no patch", false, 1},
		{"a patch that does not fit", []turn{stream(strings.Replace(good, "n / 4", "n / 3", 1), "stop", "")}, nil, "its answer cannot be applied: an edit of tax.js does not fit", false, 1},
		{"over the token budget", []turn{stream(good, "stop", "")}, func(c *config.Chat) { c.MaxTokens = 300 }, "the token budget of 300 does not reach", true, 0},
		{"over the cost budget", []turn{stream(good, "stop", "")}, func(c *config.Chat) { c.MaxCost, c.InputPrice = 0.0001, 3 }, "the cost budget of 0.0001 does not reach", true, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, tc.turns...)
			f := New(settings(s, tc.edit), key, secret.New(key), s.Client().Transport)
			a, err := f.Ask(t.Context(), task())
			if err != nil {
				t.Fatal(err)
			}
			wantsRepair := tc.failed == "" && !tc.off
			if !strings.HasPrefix(a.Failed, tc.failed) || (a.Failed == "") != wantsRepair || a.Off != tc.off || tc.asked >= 0 && len(s.requests) != tc.asked {
				t.Errorf("failed %q (off %t) after %d requests, want %q (%t) after %d", a.Failed, a.Off, len(s.requests), tc.failed, tc.off, tc.asked)
			}
			if wantsRepair {
				want := fixers.Answer{Title: "divide by five", Notes: "the diff says four",
					Whole: []fixers.Whole{{File: "tax.js", Before: []byte(tax), After: []byte(strings.Replace(tax, "4", "5", 1))}}}
				if d := cmp.Diff(want, a); d != "" {
					t.Error(d)
				}
			}
			if strings.Contains(a.Failed, key) {
				t.Error("the key is told")
			}
		})
	}
}

func TestPromptHasNoSecrets(t *testing.T) {
	s := serve(t, stream(good, "stop", ""))
	f := New(settings(s, nil), key, secret.New(key, "hunter2hunter2"), s.Client().Transport)
	if _, err := f.Ask(t.Context(), task()); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Model               string
		Stream              bool
		MaxCompletionTokens int `json:"max_completion_tokens"`
		Messages            []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(s.requests[0]), &sent); err != nil {
		t.Fatal(err)
	}
	if sent.Model != "m" || !sent.Stream || sent.MaxCompletionTokens < 40_000 || len(sent.Messages) != 2 || s.auth[0] != "Bearer "+key {
		t.Errorf("request %+v, %q", sent, s.auth)
	}
	prompt := sent.Messages[1].Content
	for _, want := range []string{"expected 37.5 to be 30", "  return n / 4;", "the diff", "FILE: conf.js", "const apiKey = '[redacted]'", "Be good."} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt has no %q:\n%s", want, prompt)
		}
	}
	for _, not := range []string{key, "abcdef", "hunter2", "one line of JSON", "FILE: .env"} {
		if strings.Contains(prompt, not) {
			t.Errorf("the prompt has %q:\n%s", not, prompt)
		}
	}
}

// What the answers take comes off the cycle's budget.
func TestBudgetIsOfTheCycle(t *testing.T) {
	s := serve(t, stream("no", "stop", `{"prompt_tokens":30000,"completion_tokens":15000,"total_tokens":45000}`))
	f := New(settings(s, func(c *config.Chat) { c.MaxTokens = 45_300 }), "", nil, s.Client().Transport)
	for i, want := range []string{"its answer cannot be applied", "the token budget of 45300 does not reach"} {
		a, err := f.Ask(t.Context(), task())
		if err != nil || !strings.HasPrefix(a.Failed, want) {
			t.Errorf("round %d: %q, %v, want %q", i+1, a.Failed, err, want)
		}
	}
	if len(s.requests) != 1 || s.auth[0] != "" && s.auth[0] != "Bearer " {
		t.Errorf("%d requests, %q", len(s.requests), s.auth)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	stop := errors.New("the user stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel(stop)
		<-r.Context().Done()
	})
	f := New(settings(s, nil), "", nil, s.Client().Transport)
	if _, err := f.Ask(ctx, task()); !errors.Is(err, stop) {
		t.Errorf("Ask = %v, want %v", err, stop)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{"": time.Second, "2": 2 * time.Second, "0": 0, "1e9": maxWait, "-1": time.Second, "soon": time.Second,
		now.Add(3 * time.Second).Format(http.TimeFormat): 3 * time.Second, now.Add(-time.Hour).Format(http.TimeFormat): 0} {
		if got := retryAfter(header, time.Second, now); got != want {
			t.Errorf("retryAfter(%q) = %s, want %s", header, got, want)
		}
	}
}

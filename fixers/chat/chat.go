// Package chat asks a model for a repair, over any server that speaks the
// OpenAI chat-completions protocol. It is off until a server and a model are
// configured.
//
// Its invariant: what leaves the machine went through the redactor, what it may
// cost is bounded before it is sent, and whatever comes back is an answer with
// a patch that fits, or with the reason why there is none. It does not judge the
// patch; the cycle does.
//
// # Design
//
// The client is sashabaranov/go-openai and not openai/openai-go: the latter adds
// 22 MB to the program and 1 ms to each start of the sandbox's helper, which is
// the same program, for an endpoint of which one method is used. Retries,
// Retry-After and the cap on the answer's size are in the transport.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/runner"
	"regreen/internal/secret"
)

// Name is how reports call it.
const Name = "chat"

// bytesPerToken is a careful estimate, for before the server counts: English
// has about four, code three.
const bytesPerToken = 3

// minAnswer is how many tokens a patch needs at least.
const minAnswer = 256

// Fixer asks one server within one cycle's budget.
type Fixer struct {
	cfg     config.Chat
	client  *openai.Client
	secrets *secret.Redactor
	spent   int     // tokens
	cost    float64 // in the currency of the prices
}

// New makes a fixer for one cycle. key may be empty, for a server that asks for
// none. transport does the requests; nil is the standard one.
func New(cfg config.Chat, key string, secrets *secret.Redactor, transport http.RoundTripper) *Fixer {
	c := openai.DefaultConfig(key)
	c.BaseURL = strings.TrimRight(cfg.URL, "/")
	if transport == nil {
		transport = http.DefaultTransport
	}
	c.HTTPClient = &http.Client{Transport: patient{transport},
		// A key is for the server that was configured, and for no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Fixer{cfg: cfg, client: openai.NewClientWithConfig(c), secrets: secrets}
}

// Name is the fixer's.
func (f *Fixer) Name() string { return Name }

// Takes tells whether the model is to be asked for a kind of failure.
func (f *Fixer) Takes(k runner.Kind) bool {
	return len(f.cfg.Kinds) == 0 || slices.Contains(f.cfg.Kinds, string(k))
}

// Limits are the configured ones.
func (f *Fixer) Limits() fixers.Limits {
	return fixers.Limits{Time: f.cfg.Timeout.Std(), Rounds: f.cfg.Rounds, Files: f.cfg.MaxFiles, Lines: f.cfg.MaxLines}
}

// overdue says that the time for an answer is over.
type overdue struct{ limit time.Duration }

func (o *overdue) Error() string { return fmt.Sprintf("no answer within %s", o.limit) }

// Ask sends one prompt and reads one answer. The error is set when ctx ended.
func (f *Fixer) Ask(ctx context.Context, t fixers.Task) (fixers.Answer, error) {
	prompt := f.prompt(t)
	limit, why := f.afford(len(prompt))
	if why != "" {
		return fixers.Answer{Failed: why, Off: true}, nil
	}
	budget := &overdue{f.Limits().Time}
	actx, cancel := context.WithTimeoutCause(ctx, budget.limit, budget)
	defer cancel()
	text, err := f.complete(actx, prompt, limit)
	if ctx.Err() != nil {
		return fixers.Answer{}, context.Cause(ctx)
	}
	if err != nil {
		if errors.Is(context.Cause(actx), budget) {
			err = budget
		}
		return fixers.Answer{Failed: fixers.Plain(f.secrets.Text(err.Error()), 300), Off: !errors.As(err, new(*problem))}, nil
	}
	return f.answer(text, t), nil
}

// answer reads the patch out of a model's words.
func (f *Fixer) answer(text string, t fixers.Task) fixers.Answer {
	edits, err := parse(text)
	var whole []fixers.Whole
	if err == nil {
		whole, err = apply(edits, t.Read)
	}
	if err != nil {
		return fixers.Answer{Failed: "its answer cannot be applied: " + fixers.Plain(f.secrets.Text(err.Error()), 300), Again: true}
	}
	a := fixers.Answer{Whole: whole}
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "TITLE:"); ok {
			a.Title = fixers.Plain(title, 120)
		}
		if notes, ok := strings.CutPrefix(strings.TrimSpace(line), "NOTES:"); ok {
			a.Notes = fixers.Plain(notes, 2000)
		}
	}
	return a
}

// afford gives how many tokens the answer may have, or why not to ask.
func (f *Fixer) afford(promptBytes int) (limit int, why string) {
	in := promptBytes/bytesPerToken + 1
	limit = f.cfg.MaxTokens - f.spent - in
	if limit < minAnswer {
		return 0, fmt.Sprintf("the token budget of %d does not reach for a prompt of about %d (%d are spent)", f.cfg.MaxTokens, in, f.spent)
	}
	if f.cfg.MaxCost > 0 {
		left := f.cfg.MaxCost - f.cost - float64(in)*f.cfg.InputPrice/1e6
		if f.cfg.OutputPrice > 0 {
			limit = min(limit, int(left/f.cfg.OutputPrice*1e6))
		}
		if left <= 0 || limit < minAnswer {
			return 0, fmt.Sprintf("the cost budget of %g does not reach for a prompt of about %d tokens (%.4g is spent)", f.cfg.MaxCost, in, f.cost)
		}
	}
	return limit, ""
}

// spend books what an answer took: what the server says, else an estimate.
func (f *Fixer) spend(u *openai.Usage, promptBytes, answerBytes int) {
	in, out := promptBytes/bytesPerToken+1, answerBytes/bytesPerToken+1
	if u != nil && u.TotalTokens > 0 {
		in, out = u.PromptTokens, u.CompletionTokens
	}
	f.spent += in + out
	f.cost += (float64(in)*f.cfg.InputPrice + float64(out)*f.cfg.OutputPrice) / 1e6
}

// complete streams one answer.
func (f *Fixer) complete(ctx context.Context, prompt string, limit int) (string, error) {
	var text strings.Builder
	var usage *openai.Usage
	asked := false
	defer func() {
		if asked {
			f.spend(usage, len(prompt), text.Len())
		}
	}()
	stream, err := f.client.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model: f.cfg.Model, MaxCompletionTokens: limit, StreamOptions: &openai.StreamOptions{IncludeUsage: true},
		Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: system},
			{Role: openai.ChatMessageRoleUser, Content: prompt}}})
	if err != nil {
		return "", said(err)
	}
	defer func() { _ = stream.Close() }()
	asked = true
	finish := openai.FinishReason("")
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && finish == "":
			return "", errors.New("the answer was cut off")
		case errors.Is(err, io.EOF):
			if finish != openai.FinishReasonStop {
				return "", fmt.Errorf("the answer has no end: %s", finish)
			}
			return text.String(), nil
		case err != nil:
			return "", said(err)
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
		for _, c := range chunk.Choices {
			text.WriteString(c.Delta.Content)
			if c.FinishReason != "" && c.FinishReason != "null" {
				finish = c.FinishReason
			}
		}
		if text.Len()/8 > limit { // far beyond what was asked for
			return "", fmt.Errorf("the answer is longer than the %d tokens that were asked for", limit)
		}
	}
}

// said is an error in few words.
func said(err error) error {
	var api *openai.APIError
	var req *openai.RequestError
	switch {
	case errors.As(err, &api) && api.HTTPStatusCode > 0:
		return fmt.Errorf("the server says %d: %s", api.HTTPStatusCode, api.Message)
	case errors.As(err, &req):
		return fmt.Errorf("the server says %d", req.HTTPStatusCode)
	}
	return err
}

package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// streamed makes an event stream of an answer that came in one piece: some
// servers and proxies do not know how to stream and answer so all the same.
// Anything else is left as it is. It reads the whole body of such an answer,
// which the caller has bounded.
func streamed(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "application/json" {
		return nil
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		_ = resp.Body.Close()
		return fmt.Errorf("read the answer: %w", err)
	}
	out := text
	var whole struct {
		Choices []struct {
			Index   int             `json:"index"`
			Message json.RawMessage `json:"message"`
			Finish  string          `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage,omitempty"`
	}
	if json.Unmarshal(text, &whole) == nil && len(whole.Choices) > 0 {
		type choice struct {
			Index  int             `json:"index"`
			Delta  json.RawMessage `json:"delta,omitempty"`
			Finish string          `json:"finish_reason,omitempty"`
		}
		var chunk struct {
			Choices []choice        `json:"choices"`
			Usage   json.RawMessage `json:"usage,omitempty"`
		}
		for _, c := range whole.Choices {
			chunk.Choices = append(chunk.Choices, choice{c.Index, c.Message, c.Finish})
		}
		chunk.Usage = whole.Usage
		event, err := json.Marshal(chunk)
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		out = fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", event)
		resp.Header.Set("Content-Type", "text/event-stream")
	}
	resp.Body = capped{bytes.NewReader(out), resp.Body}
	resp.ContentLength = int64(len(out))
	return nil
}

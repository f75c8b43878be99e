package chat

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
)

// The bounds on waiting for a server that has no time now, and on what it may
// say.
const (
	maxRetries  = 3
	firstWait   = 500 * time.Millisecond
	maxWait     = 60 * time.Second
	maxResponse = 8 << 20
)

// patient tries again where a server asks for it: after 429 and 503 as long
// as Retry-After says, after other failures of its own with growing pauses.
// The request's context bounds it all.
type patient struct{ http.RoundTripper }

// RoundTrip does the request, at most maxRetries times more.
func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	wait := firstWait
	for try := 0; ; try++ {
		if try > 0 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req = req.Clone(req.Context())
			req.Body = body
		}
		resp, err := p.RoundTripper.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		if try == maxRetries || !again(resp.StatusCode) || req.Body != nil && req.GetBody == nil {
			resp.Body = capped{io.LimitReader(resp.Body, maxResponse), resp.Body}
			if err := streamed(resp); err != nil {
				return nil, err
			}
			return resp, nil
		}
		pause := retryAfter(resp.Header.Get("Retry-After"), wait, time.Now())
		wait *= 2
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
		_ = resp.Body.Close()
		if err := sleep(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

// again tells states that pass by themselves.
func again(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter reads the header: seconds or a date.
func retryAfter(header string, fallback time.Duration, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(header, 64); err == nil && n >= 0 {
		return min(time.Duration(n*float64(time.Second)), maxWait)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, at.Sub(now)), maxWait)
	}
	return fallback
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// capped is a body that ends early when it is too long.
type capped struct {
	io.Reader
	io.Closer
}

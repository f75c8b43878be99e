package proc

import "context"

type insistKey struct{}

// WithInsist gives a context in which a closed channel takes away the grace:
// what is still running after the context ended is then killed at once.
func WithInsist(ctx context.Context, insist <-chan struct{}) context.Context {
	return context.WithValue(ctx, insistKey{}, insist)
}

// insisted is nil, which never fires, where nobody can insist.
func insisted(ctx context.Context) <-chan struct{} {
	c, _ := ctx.Value(insistKey{}).(<-chan struct{})
	return c
}

package watch

import "github.com/fsnotify/fsnotify"

// fake is a source whose events the test makes.
type fake struct {
	events chan fsnotify.Event
	errs   chan error
	fail   func(dir string) error // of Add
}

func newFake() *fake {
	return &fake{events: make(chan fsnotify.Event), errs: make(chan error), fail: func(string) error { return nil }}
}

func (f *fake) Add(dir string) error          { return f.fail(dir) }
func (f *fake) Remove(string) error           { return nil }
func (f *fake) Close() error                  { return nil }
func (f *fake) Events() <-chan fsnotify.Event { return f.events }
func (f *fake) Errors() <-chan error          { return f.errs }

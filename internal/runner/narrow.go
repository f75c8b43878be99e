package runner

// Narrower is what a Framework may offer besides: it knows by which names
// tests use what a file of Layout.Implicit offers them, so that a change
// inside one of those selects its users and nobody else.
type Narrower interface {
	// Narrow compares two versions of such a file. others are the texts, by
	// rel path, of the other files of Layout.Implicit and Layout.Global that
	// its tests have. ok is false where the difference may reach every test.
	Narrow(file string, before, after []byte, others map[string][]byte) (n Narrowing, ok bool)
}

// Narrowing is a difference that is reached by names alone.
type Narrowing struct {
	// Names are those by which it is reached, sorted; none when nobody can.
	Names []string
	// Mentions tells whether a file uses one of them, or may do so by a name
	// that it computes. A file that is no test counts where it looks as if
	// tests inherited or took something from it.
	Mentions func(file string, src []byte, test bool) bool
	// Plugs tells whether all that a text does with the file is to name it as one
	// to run tests with: what it offers goes by Names there too. May be nil.
	Plugs func(src []byte) bool
}

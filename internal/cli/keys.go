package cli

import "os"

// keys gives the keys that are pressed on the terminal, one by one, until
// close is called, which puts the terminal back. Without a terminal there are
// none.
func (a *app) keys() (keys <-chan byte, closeKeys func()) {
	f, ok := a.stdin.(*os.File)
	if !ok {
		return nil, func() {}
	}
	return readKeys(f)
}

//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"os"
)

// errNoExchange says that the file system cannot swap two names.
var errNoExchange = errors.New("exchange is not supported")

func exchange(*os.File, string, string) error { return errNoExchange }

func renameNoReplace(*os.File, string, string) error { return errNoExchange }

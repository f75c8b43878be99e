//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"os"
)

// ErrNoExchange says that the file system cannot swap two names in one step.
var ErrNoExchange = errors.New("exchange is not supported")

func exchange(*os.File, string, string) error { return ErrNoExchange }

func renameNoReplace(*os.File, string, string) error { return ErrNoExchange }

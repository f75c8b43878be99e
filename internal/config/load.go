package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Name is the file's name at the repository's root.
const Name = "regreen.toml"

// UnmarshalText reads a duration such as "120s".
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a duration", b)
	}
	*d = Duration(v)
	return nil
}

// String is the duration as the file writes it.
func (d Duration) String() string { return time.Duration(d).String() }

// maxSize bounds what is read as a configuration file.
const maxSize = 1 << 20

// Find gives the path of the configuration file of a repository, "" when it
// has none. What stands there and cannot be read is for Load to say.
func Find(root string) string {
	p := filepath.Join(root, Name)
	if _, err := os.Lstat(p); err != nil {
		return ""
	}
	return p
}

// Load reads a configuration file over the defaults. What is wrong in the file
// is an *Error; the first one in the file's order is given. An empty path
// gives Default.
func Load(path string) (Config, error) {
	if path == "" {
		return Default(), nil
	}
	src, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, &Error{File: path, Message: "no such file", Hint: "regreen init writes one"}
	}
	if err != nil {
		return Config{}, &Error{File: path, Message: err.Error(), Hint: "make it a file that can be read, or remove it"}
	}
	return Parse(path, src)
}

// read takes a file's bytes; it waits for nobody (a named pipe) and takes no
// stream without an end.
func read(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case fi.IsDir():
		return nil, errors.New("it is a folder")
	case !fi.Mode().IsRegular() && fi.Mode()&fs.ModeCharDevice == 0:
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	src, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(src) > maxSize {
		err = fmt.Errorf("it is larger than %d bytes", maxSize)
	}
	return src, err
}

// Parse reads a configuration file's text over the defaults; file is for
// errors.
func Parse(file string, src []byte) (Config, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if !utf8.Valid(src) {
		line := 1
		for len(src) > 0 {
			r, n := utf8.DecodeRune(src)
			if r == utf8.RuneError && n == 1 {
				break
			}
			if r == '\n' {
				line++
			}
			src = src[n:]
		}
		return Config{}, &Error{File: file, Line: line, Message: "not valid UTF-8", Hint: "save the file as UTF-8"}
	}
	var values map[string]any
	if _, err := toml.Decode(string(src), &values); err != nil {
		return Config{}, syntaxError(file, src, err)
	}
	c := &checker{file: file, keys: positions(string(src))}
	c.table("", schema(), values)
	if err := c.first(); err != nil {
		return Config{}, err
	}
	cfg := Default()
	if _, err := toml.Decode(string(src), &cfg); err != nil {
		return Config{}, syntaxError(file, src, err)
	}
	for i := range cfg.Project {
		if cfg.Project[i].Root == "" {
			cfg.Project[i].Root = "."
		}
	}
	for i := range cfg.Fixers.Command {
		cfg.Fixers.Command[i] = defaultCommand(cfg.Fixers.Command[i])
	}
	c.whole(cfg)
	if err := c.first(); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

func syntaxError(file string, src []byte, err error) error {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return &Error{File: file, Message: err.Error()}
	}
	line := pe.Position.Line
	if at := pe.Position.Start; at >= 0 && at <= len(src) {
		// The library counts the newline that it stumbled on (version 1.6).
		line = 1 + bytes.Count(src[:at], []byte("\n"))
	}
	e := &Error{File: file, Line: line, Column: pe.Position.Col, Message: pe.Message,
		Hint: "regreen.toml is TOML: [table], key = value, strings in quotes"}
	if pe.Message == "" {
		e.Message = err.Error()
	}
	return e
}

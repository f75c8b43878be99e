// Package jsonlines keeps what a bench measured in a file of JSON values, one a
// line, so that a bench that was stopped is taken up where it ended. A line is
// written whole or, where the bench was killed in the middle of one, left out
// when the file is read again.
package jsonlines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// File holds the values of a file and adds to both. One process writes to it.
type File[T any] struct {
	name string
	// List are the values in the order in which they were added.
	List []T
}

// Open reads a file, which need not exist. Without a name the values are kept
// in memory alone.
func Open[T any](name string) (*File[T], error) {
	f := &File[T]{name: name}
	if name == "" {
		return f, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := os.Truncate(name, int64(whole)); err != nil {
			return nil, err
		}
	}
	for n, line := range bytes.Split(bytes.TrimSuffix(text[:whole], []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("read line %d of %s: %w", n+1, name, err)
		}
		f.List = append(f.List, v)
	}
	return f, nil
}

// Name is the file's, "" for one in memory.
func (f *File[T]) Name() string { return f.name }

// Add keeps a value, on disk before it returns.
func (f *File[T]) Add(v T) error {
	f.List = append(f.List, v)
	if f.name == "" {
		return nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = out.Write(append(line, '\n')); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

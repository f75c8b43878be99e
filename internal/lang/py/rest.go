package py

import (
	"context"
	"errors"

	"regreen/internal/lang"
)

// Scan reads what a text imports and offers.
func (*Language) Scan(path string, src []byte) *lang.File { return &lang.File{Path: path} }

// NewResolver prepares the search for modules in a tree.
func (*Language) NewResolver(t lang.Tree) lang.Resolver { return nil }

// InScope lists names.
func (*Language) InScope(path string, src []byte, offset int) []lang.Binding { return nil }

// Uses lists uses.
func (*Language) Uses(path string, src []byte, name string, offset int) []lang.Span { return nil }

// AddImport adds an import.
func (*Language) AddImport(path string, src []byte, specifier string, names []lang.Name) ([]lang.TextEdit, error) {
	return nil, errors.New("not written yet")
}

// Check parses.
func (*Language) Check(ctx context.Context, path string, src []byte) (*lang.SyntaxError, error) {
	return nil, errors.New("not written yet")
}

var _ lang.Language = (*Language)(nil)

package js

import (
	"regreen/internal/lang"
)

func (Language) InScope(path string, src []byte, offset int) []lang.Binding        { return nil }
func (Language) Uses(path string, src []byte, name string, offset int) []lang.Span { return nil }
func (Language) AddImport(path string, src []byte, specifier string, names []lang.Name) ([]lang.TextEdit, error) {
	return nil, nil
}

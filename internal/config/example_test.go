package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const examplePath = "../../config.example.toml"

func TestExampleShowsDefaults(t *testing.T) {
	got, err := Load(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Default(), got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("config.example.toml is not the defaults (-default +file):\n%s", d)
	}
}

// The tables that have no default are shown in comments; without the marks
// they are a valid file too, and then every key of Config occurs.
func TestExampleShowsEveryKey(t *testing.T) {
	src, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^# (\[\[.*|[a-z_]+ = .*)$`).ReplaceAllString(string(src), "$1")
	// The example of affected.data stands above the default.
	shown = strings.Replace(shown, "data = {}\n", "", 1)
	cfg, err := Parse(examplePath, []byte(shown))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(defaultCommand(Command{}), cfg.Fixers.Command[0],
		cmpopts.IgnoreFields(Command{}, "Name", "Command"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("[[fixers.command]] is not its defaults (-default +file):\n%s", d)
	}
	index := regexp.MustCompile(`\[\d+\]`)
	var have []string
	for _, k := range positions(shown) {
		have = append(have, index.ReplaceAllString(k.path, ""))
	}
	for _, key := range structKeys(reflect.TypeFor[Config](), "") {
		if !slices.Contains(have, key) {
			t.Errorf("config.example.toml does not show %s", key)
		}
	}
}

func TestSchemaIsConfig(t *testing.T) {
	want := structKeys(reflect.TypeFor[Config](), "")
	got := schemaKeys(schema(), "")
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("schema (-struct +schema):\n%s", d)
	}
}

func structKeys(t reflect.Type, prefix string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		key := join(prefix, f.Tag.Get("toml"))
		ft := f.Type
		if ft.Kind() == reflect.Slice {
			ft = ft.Elem()
		}
		if ft.Kind() == reflect.Struct {
			out = append(out, structKeys(ft, key)...)
			continue
		}
		out = append(out, key)
	}
	return out
}

func schemaKeys(n node, prefix string) []string {
	var out []string
	for k, child := range n.keys {
		if key := join(prefix, k); child.keys != nil {
			out = append(out, schemaKeys(child, key)...)
		} else {
			out = append(out, key)
		}
	}
	return out
}

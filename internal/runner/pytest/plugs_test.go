package pytest

import "testing"

// TestPlugs: a module in pytest_plugins is not imported by that, and nothing but
// its name there may stand in the text.
func TestPlugs(t *testing.T) {
	for text, want := range map[string]bool{
		"pytest_plugins = ['tests.price']\n":                                          true,
		"pytest_plugins = (\n    'tests.cost',\n    \"tests.price\",\n)\nx = 1\n":     true,
		"pytest_plugins = 'tests.price'\n":                                            true,
		"pytest_plugins = ['tests.prices']\n":                                         false,
		"x = 1\n":                                                                     false,
		"pytest_plugins = ['tests.price']\nfrom tests import price\n":                 false,
		"pytest_plugins = ['tests.price']\nimport tests.price as p\n":                 false,
		"pytest_plugins = ['tests.price']\nNAME = 'tests.price'\n":                    false,
		"pytest_plugins = ['tests.price'] + more()\n":                                 false,
		"pytest_plugins = ['tests.price']\nimportlib.import_module(NAME)\n":           false,
		"def f():\n    pytest_plugins = ['tests.price']\n":                            false,
		"pytest_plugins = [name for name in ('tests.price',)]\n":                      false,
		"pytest_plugins: list = ['tests.price']\n":                                    false,
		"if True:\n    pytest_plugins = ['tests.price']\n":                            false,
		"pytest_plugins = ['tests.price']\ndef helper():\n    return price.value()\n": false,
	} {
		if got := plugs([]byte(text), "tests/price.py"); got != want {
			t.Errorf("plugs(%q) = %v, want %v", text, got, want)
		}
	}
	if plugs([]byte("pytest_plugins = ['tests']\n"), "tests/__init__.py") {
		t.Error("a package is told by name")
	}
}

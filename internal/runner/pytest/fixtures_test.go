package pytest

import (
	"strings"
	"testing"
)

const conftest = `import pytest
import os

LIMIT = 3

def connect(url):
    return os.open(url)

def unused():
    return 1

@pytest.fixture
def db():
    return connect("x")

@pytest.fixture(scope="session", name="web")
def client(db):
    yield db

@pytest.fixture
def lonely():
    return 1

@pytest.fixture
def picked(request):
    return request.getfixturevalue(request.param)

@pytest.fixture(autouse=True)
def clean(tmp_path):
    yield

@pytest.fixture
def logged():
    return 2

@pytest.fixture(autouse=True)
def log(logged):
    yield

def pytest_configure(config):
    helper()

def helper():
    return 1

class Fake:
    def made(self):
        return build()

def build():
    return 1
`

// tarpas/pytest-testmon#74: an unused function's change reran all.
func TestNarrow(t *testing.T) {
	for _, tc := range []struct {
		name, old, new string
		want           string // names, or "all"
		other          string // another conftest file
	}{
		{name: "a fixture's body", old: "return 1\n\n@pytest.fixture\ndef picked", new: "return 2\n\n@pytest.fixture\ndef picked", want: "lonely picked"},
		{name: "a fixture that another one takes", old: `connect("x")`, new: `connect("y")`, want: "client db picked web"},
		{name: "a function that fixtures call", old: "os.open(url)", new: "os.open(url, 1)", want: "client db picked web"},
		{name: "an unused function", old: "def unused():\n    return 1", new: "def unused():\n    return 2", want: ""},
		{name: "an unused function added", old: "def unused", new: "def more():\n    return 1\n\ndef unused", want: ""},
		{name: "a function gone", old: "def unused():\n    return 1\n", new: "", want: ""},
		{name: "a fixture added", old: "def unused", new: "@pytest.fixture\ndef tmp_path():\n    return 1\n\ndef unused", want: "all"},
		{name: "a fixture added that nobody takes", old: "def unused", new: "@pytest.fixture\ndef fresh():\n    return 1\n\ndef unused", want: "fresh picked"},
		{name: "a fixture gone", old: "@pytest.fixture\ndef lonely():\n    return 1\n", new: "", want: "lonely picked"},
		{name: "an autouse fixture", old: "    yield\n\n@pytest.fixture\ndef logged", new: "    yield 1\n\n@pytest.fixture\ndef logged", want: "all"},
		{name: "taken by an autouse fixture", old: "return 2", new: "return 3", want: "all"},
		{name: "a scope", old: `scope="session"`, new: `scope="module"`, want: "all"},
		{name: "a module's statement", old: "LIMIT = 3", new: "LIMIT = 4", want: "all"},
		{name: "an import", old: "import os", new: "import os, sys", want: "all"},
		{name: "a hook", old: "    helper()", new: "    helper(1)", want: "all"},
		{name: "a function that a hook calls", old: "def helper():\n    return 1", new: "def helper():\n    return 2", want: "all"},
		{name: "a function that a class calls", old: "def build():\n    return 1", new: "def build():\n    return 2", want: "all"},
		{name: "a default value", old: "def connect(url)", new: "def connect(url=LIMIT)", want: "all"},
		{name: "a parameter", old: "def lonely()", new: "def lonely(tmp_path)", want: "lonely picked"},
		{name: "a decorator of its own", old: "def unused", new: "@register\ndef unused", want: "all"},
		{name: "comments", old: "LIMIT = 3", new: "LIMIT = 3  # x", want: ""},
		{name: "taken in another conftest", old: `connect("x")`, new: `connect("y")`, other: "import pytest\n@pytest.fixture\ndef shop(db):\n    return db\n", want: "client db picked shop web"},
		{name: "autouse in another conftest", old: `connect("x")`, new: `connect("y")`, other: "import pytest\n@pytest.fixture(autouse=True)\ndef shop(db):\n    return db\n", want: "all"},
		{name: "marked in another conftest", old: `connect("x")`, new: `connect("y")`, other: "import pytest\npytestmark = pytest.mark.usefixtures('db')\n", want: "all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !strings.Contains(conftest, tc.old) {
				t.Fatalf("no %q", tc.old)
			}
			after := strings.Replace(conftest, tc.old, tc.new, 1)
			n, ok := New().Narrow("conftest.py", []byte(conftest), []byte(after), map[string][]byte{"sub/conftest.py": []byte(tc.other), "pytest.ini": []byte("[pytest]\naddopts = -q\n")})
			got := strings.Join(n.Names, " ")
			if !ok {
				got = "all"
			}
			if got != tc.want {
				t.Errorf("reached by %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNarrowMentions(t *testing.T) {
	n, ok := New().Narrow("conftest.py", []byte(conftest), []byte(strings.Replace(conftest, `"x"`, `"y"`, 1)), nil)
	if !ok {
		t.Fatal("everything is reached")
	}
	for _, tc := range []struct {
		name, src string
		test      bool
		want      bool
	}{
		{"a parameter", "def test_a(db): pass\n", true, true},
		{"another name of the fixture", "def test_a(web): pass\n", true, true},
		{"a parameter of a method", "class TestA:\n    def test_a(self, *, db): pass\n", true, true},
		{"usefixtures", "import pytest\n@pytest.mark.usefixtures('db')\ndef test_a(): pass\n", true, true},
		{"a literal name", "def test_a(request): request.getfixturevalue('db')\n", true, true},
		{"a computed name", "def test_a(request, n): request.getfixturevalue(n)\n", true, true},
		{"an f-string", "def test_a(request, n): request.getfixturevalue(f'{n}')\n", true, true},
		{"another literal name", "def test_a(request): request.getfixturevalue('tmp_path')\n", true, false},
		{"nothing", "def test_a(tmp_path): pass  # db\n", true, false},
		{"part of a name", "def test_a(my_db): pass\n", true, false},
		{"a base class", "class Base:\n    def test_a(self, db): pass\n", false, true},
		{"a helper that asks for a test", "def load(request): return request.getfixturevalue('db')\n", false, true},
		{"a helper that asks for any", "def load(request, n): return request.getfixturevalue(n)\n", false, true},
		{"a helper that asks for another", "def load(request): return request.getfixturevalue('tmp_path')\n", false, false},
		{"a function that another makes", "def make():\n    def run(db): pass\n    return run\n", false, true},
		{"a method of the product", "class A:\n    def query(self, db): pass\n", false, false},
		{"code of the product", "def query(db): pass\n", false, false},
	} {
		if got := n.Mentions("x.py", []byte(tc.src), tc.test); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	if !n.Mentions("x.txt", []byte(">>> getfixture('db')"), true) || n.Mentions("x.txt", []byte(">>> dbs"), true) {
		t.Error("text files are misread")
	}
}

func FuzzNarrow(f *testing.F) {
	f.Add([]byte(conftest), []byte("import pytest\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if n, ok := New().Narrow("conftest.py", a, b, map[string][]byte{"x/conftest.py": b}); ok {
			n.Mentions("test_x.py", a, true)
		}
	})
}

package node

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

func TestDiscover(t *testing.T) {
	tests := []struct {
		name, file, src string
		names           []string
		want            []runner.Decl
	}{
		{
			name: "nesting and modifiers", file: "a.test.js",
			src: `describe('calc :: ops', () => {
  beforeAll(() => { it });
  describe("outer > inner", function () {
    it('a › b [c]', () => { expect(1).toBe(1); });
    test.skip("gr\u00f6\u00dfe \"q\"", () => {});
  });
  it.todo('someday');
  xit('off', () => {});
});
describe.skip('gone', () => { it('never', () => {}); });
test.concurrent(` + "`plain`" + `, async () => {});
test.only('x' + 'y', () => {});
`,
			want: []runner.Decl{
				{Path: []string{"calc :: ops", "outer > inner", "a › b [c]"}, Line: 4, Count: 1},
				{Path: []string{"calc :: ops", "outer > inner", `größe "q"`}, Line: 5, Skipped: true, Count: 1},
				{Path: []string{"calc :: ops", "someday"}, Line: 7, Skipped: true, Count: 1},
				{Path: []string{"calc :: ops", "off"}, Line: 8, Skipped: true, Count: 1},
				{Path: []string{"gone", "never"}, Line: 10, Skipped: true, Count: 1},
				{Path: []string{"plain"}, Line: 11, Count: 1},
				{Path: []string{"xy"}, Line: 12, Count: 1},
			},
		},
		{
			name: "tables", file: "a.test.ts",
			src: `it.each([[1, 2], [3, 4], [5, 6],])('adds %i', (a, b) => {});
it.each<[number, string]>([[1, 'a']] as const)('one', () => {});
it.each(rows)('many $x', () => {});
it.each` + "`a | b\n${1} | ${`${2}`}\n${3} | ${4}\n`" + `('t $a', () => {});
describe.each(['x', 'y'])('suite %s', (s) => {
  it('in it', () => {});
});
test.each([...rows, 1])('spread', () => {});
`,
			want: []runner.Decl{
				{Path: []string{""}, Line: 1, Count: 3},
				{Path: []string{"one"}, Line: 2, Count: 1},
				{Path: []string{""}, Line: 3, Count: 1},
				{Path: []string{""}, Line: 4, Count: 2},
				{Path: []string{"", "in it"}, Line: 9, Count: 2},
				{Path: []string{"spread"}, Line: 11, Count: 1},
			},
		},
		{
			name: "not declarations", file: "a.test.js",
			src: `const it = 1; foo.it('no', () => {}); // it('no')
const s = "it('no', () => {})"; const o = { test: 1 }; /test('x')/.test(s);
function test(x) {} import { it } from 'x';
`,
		},
		{
			name: "unclosed suite", file: "a.test.js",
			src: `describe('one', () => {
  it('a', () => {
    expect(add(1).toBe(1);
  });
  it('b', () => {});

describe('two', () => {
  it('c', () => {});
});
`,
			want: []runner.Decl{
				{Path: []string{"one", "a"}, Line: 2, Count: 1},
				{Path: []string{"one", "b"}, Line: 5, Count: 1},
				{Path: []string{"two", "c"}, Line: 8, Count: 1},
			},
		},
		{
			name: "own names", file: "a.test.ts", names: []string{"effectTest"},
			src: "const myTest = test.extend<Fx>({ a: 1 });\nmyTest('mine', () => {});\neffectTest('given', () => {});\nit(`${x} y`, () => {});\n",
			want: []runner.Decl{
				{Path: []string{"mine"}, Line: 2, Count: 1},
				{Path: []string{"given"}, Line: 3, Count: 1},
				{Path: []string{""}, Line: 4, Count: 1},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Discover(tt.file, []byte(tt.src), tt.names...)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHookCall(t *testing.T) {
	src := `beforeEach(() => {});
describe('a', () => {
  before(async () => {}, 10);
  describe('b', () => {
    beforeEach(() => {});
    it('c', () => {});
  });
});
`
	c := Context{Read: func(rel string) ([]byte, error) {
		if rel == "t.js" {
			return []byte(src), nil
		}
		return nil, os.ErrNotExist
	}}
	id := runner.TestID{File: "t.js", Path: []string{"a", "b", "c"}}
	for hook, line := range map[string]int{`"before all" hook`: 3, `"before each" hook for "c"`: 5, "beforeEach": 5, "afterAll": 0} {
		p, ok := HookCall(c, id, hook)
		if p.Line != line || ok != (line > 0) {
			t.Errorf("HookCall(%q) = %v, %v, want line %d", hook, p, ok, line)
		}
	}
	if p, _ := Declaration(c, id); p.Line != 6 || p.Column != 5 {
		t.Errorf("Declaration = %v, want 6:5", p)
	}
}

func FuzzDiscover(f *testing.F) {
	f.Add("describe('a', () => { it.each`a|b\n${1}|${2}`('x', () => {}) })")
	f.Add("it.each([[1,2],[3]")
	f.Add("test('\\u{110000}\\ud83d\\ude00', `${`")
	f.Fuzz(func(t *testing.T, src string) {
		for _, d := range Discover("a.test.ts", []byte(src)) {
			if d.Count < 1 || d.Line < 1 || len(d.Path) == 0 {
				t.Fatalf("Discover gave %+v", d)
			}
		}
	})
}

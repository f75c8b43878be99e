package e2e

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// TestManyFiles is one repair and its undo among many files, hazard 20 of
// facts/sandbox.md 8. REGREEN_FILES=50000 makes it as many as the hazard says;
// what that costs is measured in bench/sandbox.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	n := 2000
	if text := os.Getenv("REGREEN_FILES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("REGREEN_FILES: %v", err)
		}
	}
	l := newLab(t, cell{"copy", 0})
	l.shop()
	for f := range n {
		if f%100 == 0 {
			l.mkdir(fmt.Sprintf("data/%d", f/100))
		}
		if err := os.WriteFile(l.path(fmt.Sprintf("data/%d/%d.txt", f/100, f)), []byte{byte(f)}, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l.init()
	l.commit()
	l.write("src/tax.js", brokenTax)
	l.skip = []string{"shop/data"} // git itself looks at these
	l.frozen().repaired("src/tax.js")
	if got := l.in(".", "--no-optional-locks", "status", "--porcelain"); got != " M src/tax.js" {
		t.Errorf("status: %q", got)
	}
}

package daemon

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCleanMappings(t *testing.T) {
	const smaps = `00400000-00402000 r--p 00000000 fe:00 13574710                           /bin/a b
Size:                  8 kB
Rss:                   8 kB
Anonymous:             0 kB
VmFlags: rd mr mw me
00402000-01074000 r-xp 00002000 fe:00 13574710                           /bin/a b
Rss:               12744 kB
Anonymous:             0 kB
01bd4000-01bd5000 r--p 017d3000 fe:00 13574710                           /bin/a b
Rss:                   4 kB
Anonymous:             4 kB
01bd5000-01c6d000 rw-p 017d4000 fe:00 13574710                           /bin/a b
Anonymous:             0 kB
7f0000000000-7f0000001000 r--p 00000000 fe:00 1                          /bin/another/bin/a b
Anonymous:             0 kB
7f0000002000-7f0000003000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
7f0000004000-7f0000005000 r--p 00000000 00:00 0
Anonymous:             0 kB
`
	want := []mapping{{0x400000, 0x402000}, {0x402000, 0x1074000}}
	if d := cmp.Diff(want, cleanMappings(strings.NewReader(smaps), "/bin/a b"), cmp.AllowUnexported(mapping{})); d != "" {
		t.Errorf("mappings (-want +got):\n%s", d)
	}
}

// TestReleaseCode holds that less of the program is in memory afterwards, and
// that it runs on.
func TestReleaseCode(t *testing.T) {
	before := fileRSS(t)
	releaseCode()
	if after := fileRSS(t); after >= before {
		t.Errorf("%d KiB of files were in memory before, %d after", before, after)
	}
	f := begin(t, nil)
	f.finish(passed())
	f.idle()
}

func fileRSS(t *testing.T) int {
	t.Helper()
	src, err := os.ReadFile("/proc/self/status")
	must(t, err)
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "RssFile:" {
			n, err := strconv.Atoi(f[1])
			must(t, err)
			return n
		}
	}
	t.Skip("the kernel does not tell RssFile")
	return 0
}

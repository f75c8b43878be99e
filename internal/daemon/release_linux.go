package daemon

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseCode lets go of the pages of the program's own file that are in
// memory: a cycle goes through much of the code, a daemon at rest through next
// to none, and what it needs again comes from the system's cache. Only what
// nobody has written to since it was read is let go.
func releaseCode() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	for _, r := range cleanMappings(f, exe) {
		// An error leaves the pages where they are.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, r.from, r.to-r.from, unix.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// cleanMappings gives the mappings of a file that cannot be written to and of
// which no page is the process's own: one that was changed before it was made
// read-only (relocations) is, and would be lost.
func cleanMappings(smaps io.Reader, file string) []mapping {
	var out []mapping
	var at mapping
	wanted := false
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		line := lines.Text()
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		from, to, isRange := strings.Cut(f[0], "-")
		if isRange && !strings.HasSuffix(f[0], ":") {
			a, err1 := strconv.ParseUint(from, 16, 64)
			b, err2 := strconv.ParseUint(to, 16, 64)
			at = mapping{uintptr(a), uintptr(b)}
			wanted = err1 == nil && err2 == nil && len(f) > 5 && strings.HasPrefix(f[1], "r-") && strings.HasSuffix(line, " "+file)
			continue
		}
		if wanted && f[0] == "Anonymous:" && len(f) > 1 && f[1] == "0" {
			out = append(out, at)
		}
	}
	return out
}

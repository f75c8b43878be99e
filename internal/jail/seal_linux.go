package jail

import (
	"bufio"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// seal is the machine's own mounts, to be made read-only once what a run may
// write stands in mounts of its own. Landlock keeps bytes and names; this also
// keeps the modes, owners, times and attributes of files that are not the run's.
type seal struct{ mounts []int }

// newSeal lays a mount of its own over each folder that may be written, and
// remembers what was mounted before. It is nil where that cannot be had.
func (w *warden) newSeal() *seal {
	s := &seal{}
	for _, at := range mountPoints() {
		if fd, err := unix.Open(at, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err == nil {
			s.mounts = append(s.mounts, fd)
		}
	}
	write := slices.Clone(w.Write)
	slices.Sort(write) // a folder comes before those in it
	for _, p := range slices.Compact(write) {
		covered := slices.ContainsFunc(w.Mounts, func(m Mount) bool { return m.To == p })
		if fi, err := os.Stat(p); err != nil || covered || system(p) || !fi.IsDir() && !fi.Mode().IsRegular() {
			continue
		}
		if unix.Mount(p, p, "", unix.MS_BIND|unix.MS_REC, "") != nil {
			s.close()
			return nil // it would be read-only
		}
	}
	return s
}

// apply makes them read-only. One that cannot be stays, behind Landlock.
func (s *seal) apply() {
	if s == nil {
		return
	}
	for _, fd := range s.mounts {
		_ = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	}
}

func (s *seal) close() {
	if s == nil {
		return
	}
	for _, fd := range s.mounts {
		_ = unix.Close(fd)
	}
}

// system is true for what holds no user's files.
func system(at string) bool {
	for _, dir := range []string{"/dev", "/proc", "/sys"} {
		if at == dir || strings.HasPrefix(at, dir+"/") {
			return true
		}
	}
	return false
}

// mountPoints are where something is mounted that can hold a user's files.
func mountPoints() []string {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var out []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || strings.HasPrefix(fields[5], "ro,") {
			continue // there is nothing to take away
		}
		if at := unescape.Replace(fields[4]); !system(at) {
			out = append(out, at)
		}
	}
	return out
}

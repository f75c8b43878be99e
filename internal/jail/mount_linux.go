package jail

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mountAll makes the mounts. What they show is opened before the first of
// them, which may cover it.
func (w *warden) mountAll() error {
	// Nothing of this may reach the namespace outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	// Paths by descriptor need no escaping in an overlay's options either.
	var opened []int
	defer func() {
		for _, fd := range opened {
			_ = unix.Close(fd)
		}
	}()
	open := func(path string) (string, error) {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return "", fmt.Errorf("open %s: %w", path, err)
		}
		opened = append(opened, fd)
		return "/proc/self/fd/" + strconv.Itoa(fd), nil
	}
	others := w.newSeal()
	defer others.close()
	from := make([]string, len(w.Mounts))
	for i, m := range w.Mounts {
		var err error
		if from[i] = m.From; !m.Late {
			if from[i], err = open(m.From); err != nil {
				return err
			}
		}
	}
	for i, m := range w.Mounts {
		if err := m.make(from[i], open); err != nil {
			return err
		}
	}
	others.apply()
	w.mountShared()
	// Terminals of its own: at those of the user's other windows a run could
	// read what is typed. Where that cannot be had, the machine's stay.
	_ = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
	return w.mountProc()
}

func (m Mount) make(from string, open func(string) (string, error)) error {
	if m.Upper != "" {
		upper, err := open(m.Upper)
		if err != nil {
			return err
		}
		work, err := open(m.Work)
		if err != nil {
			return err
		}
		options := "lowerdir=" + from + ",upperdir=" + upper + ",workdir=" + work + ",userxattr"
		if err := unix.Mount("overlay", m.To, "overlay", 0, options); err != nil {
			return fmt.Errorf("lay a private layer over %s: %w", m.From, err)
		}
		return nil
	}
	if err := unix.Mount(from, m.To, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("show %s at %s: %w", m.From, m.To, err)
	}
	if m.ReadOnly {
		return readOnly(m.To)
	}
	return nil
}

// readOnly makes a mount read-only. The flags that it has are kept: in a user
// namespace they may not be taken away.
func readOnly(at string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err != nil {
		return fmt.Errorf("look at %s: %w", at, err)
	}
	flags := uintptr(unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY)
	for has, ms := range map[int64]uintptr{unix.ST_NOSUID: unix.MS_NOSUID, unix.ST_NODEV: unix.MS_NODEV, unix.ST_NOEXEC: unix.MS_NOEXEC,
		unix.ST_NOATIME: unix.MS_NOATIME, unix.ST_NODIRATIME: unix.MS_NODIRATIME, unix.ST_RELATIME: unix.MS_RELATIME} {
		if int64(st.Flags)&has != 0 {
			flags |= ms
		}
	}
	if err := unix.Mount("", at, "", flags, ""); err != nil {
		return fmt.Errorf("make %s read-only: %w", at, err)
	}
	return nil
}

// mountProc gives a new process namespace its own /proc.
func (w *warden) mountProc() error {
	if !w.ownPIDs {
		return nil
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount a new /proc: %w", err)
	}
	// Newer kernels have a number of processes for each namespace, which holds
	// for root as well. It is a second line behind what watch does.
	if n := w.Limits.Processes; n > 0 {
		_ = os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(tasks(n))), 0)
	}
	if os.Getuid() != 0 {
		return nil
	}
	// The kernel's settings ask only for the user id of root.
	if err := unix.Mount("/proc/sys", "/proc/sys", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("cover /proc/sys: %w", err)
	}
	return readOnly("/proc/sys")
}

// tasks is how many threads so many processes may have.
func tasks(processes int) int { return max(2048, 16*processes) }

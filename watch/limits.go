package watch

import (
	"errors"
	"io/fs"
	"syscall"
)

// watchFolder asks for a folder's events, or notes that it has to be polled.
// It is false for a folder that is not to be watched, or gone.
func (t *tree) watchFolder(d *folder, fi fs.FileInfo) bool {
	if d.link && d.ino == 0 {
		if t.outside >= maxOutside {
			if !t.outsideFull {
				t.outsideFull = true
				t.warn("a link leads to a very large folder, of which only a part is watched: "+d.abs,
					"name the link in watch.ignore")
			}
			return false
		}
		t.outside++
	}
	d.ino = inode(fi)
	d.polled = !t.never && (t.src == nil || t.exhausted || t.deafDevice(d, fi))
	if t.src == nil || t.exhausted {
		return true
	}
	err := t.src.Add(d.abs)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return false
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		t.exhausted, d.polled = true, !t.never
		rest := "the rest is polled"
		if t.never {
			rest = "and saves in the rest are not seen"
		}
		t.warn("not every folder can be watched, "+rest+": "+limit(err), hint(err))
	default:
		d.polled = !t.never
	}
	return true
}

func (t *tree) unwatch(d *folder) {
	if t.src != nil {
		_ = t.src.Remove(d.abs) // it may be gone, and its watch with it
	}
}

// deafDevice tells whether a folder's file system must be polled, and says so
// once for each.
func (t *tree) deafDevice(d *folder, fi fs.FileInfo) bool {
	dev := device(fi)
	why, ok := t.devices[dev]
	if !ok {
		why = t.deaf(d.abs)
		t.devices[dev] = why
		if why != "" {
			where := d.rel
			if where == "" {
				where = "the repository"
			}
			t.warn(where+" is polled: "+why, "saves are seen up to some seconds later; a local disk is quicker")
		}
	}
	return why != ""
}

// limit and hint translate the kernel's misleading words.
func limit(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the limit of inotify watches is reached"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "the limit of inotify instances or open files is reached"
	}
	return err.Error()
}

func hint(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "raise fs.inotify.max_user_watches (sysctl), or name large folders in watch.ignore"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "raise fs.inotify.max_user_instances (sysctl) and the limit of open files (ulimit -n)"
	}
	return "name large folders in watch.ignore"
}

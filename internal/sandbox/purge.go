package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// shadowFolders are the folders that every shadow repository has.
var shadowFolders = [...]string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "worktrees/tree"}

// purge takes out of the shadow repository what could lead us elsewhere. What
// runs in the worktree writes to the shadow, as git does, and could put a link
// to a folder of the user's in the place of one of ours: links and everything
// else that is neither a file nor a folder go, and so does a word that the
// repository is elsewhere. It comes before each use that writes; no process of
// a run is alive then. What is missed afterwards is made anew.
func (s *shadow) purge() error {
	if err := s.purged(); err != nil {
		return fmt.Errorf("clean the shadow repository: %w", err)
	}
	return nil
}

func (s *shadow) purged() error {
	if fi, err := os.Lstat(s.dir); err == nil && !fi.IsDir() {
		if err := os.Remove(s.dir); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(s.dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && d.Type().IsRegular():
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return os.Remove(p)
		}
		fi, err := d.Info()
		if err == nil && fi.Mode().Perm()&0o700 != 0o700 {
			err = os.Chmod(p, 0o700)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := removeAll(filepath.Join(s.dir, "commondir")); err != nil {
		return err
	}
	for _, d := range shadowFolders {
		if err := s.folder(filepath.FromSlash(d)); err != nil {
			return err
		}
	}
	for name, text := range s.fixed() {
		if err := keepText(filepath.Join(s.dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// folder makes a folder of the shadow; a file in its way goes.
func (s *shadow) folder(rel string) error {
	if rel != "." {
		if err := s.folder(filepath.Dir(rel)); err != nil {
			return err
		}
	}
	abs := filepath.Join(s.dir, rel)
	if fi, err := os.Lstat(abs); err == nil && !fi.IsDir() {
		if err := os.Remove(abs); err != nil {
			return err
		}
	}
	if err := os.Mkdir(abs, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// fixed are the files of the shadow that hold always the same.
func (s *shadow) fixed() map[string]string {
	return map[string]string{
		"HEAD":                    "ref: refs/heads/regreen\n",
		"config":                  s.config(),
		"info/attributes":         rawBytes,
		"objects/info/alternates": alternate(s.objects()) + "\n",
	}
}

// keepText makes one of our own files hold a text. Whatever else stands there
// goes; nothing is written through it.
func keepText(name, text string) error {
	if fi, err := os.Lstat(name); err == nil && fi.Mode().IsRegular() && fi.Size() == int64(len(text)) {
		if src, err := os.ReadFile(name); err == nil && string(src) == text {
			return nil
		}
	}
	if err := removeAll(name); err != nil {
		return err
	}
	return writeNew(name, []byte(text))
}

// writeNew writes a private file that is not there yet.
func writeNew(name string, src []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	return errors.Join(err, f.Close())
}

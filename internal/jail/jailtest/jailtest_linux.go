package jailtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"regreen/internal/jail"
)

// uid is nobody's on any machine that tests run on.
const uid = 61234

const envUser = "REGREEN_TEST_USER"

// Helper is the command line of the helper of a test program whose TestMain
// calls jail.Help for it.
func Helper() []string { return []string{"/proc/self/exe", jail.Command} }

// AsUser runs the whole test that calls it again as an unprivileged user, when
// root runs it. Others run it as themselves only.
func AsUser(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 || os.Getenv(envUser) != "" {
		return
	}
	t.Run("unprivileged", func(t *testing.T) {
		home := t.TempDir()
		for dir := home; dir != os.TempDir() && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(home, uid, uid); err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(t.Name(), "/")
		// The program lies in a folder that the user cannot enter.
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+name+"$", "-test.v")
		cmd.Env = append(os.Environ(), envUser+"=1", "HOME="+home, "TMPDIR="+home)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

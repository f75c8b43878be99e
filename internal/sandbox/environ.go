package sandbox

import (
	"path/filepath"
	"runtime"
	"strings"
)

// passed are the variables of the user's environment that tests get. Names
// that end in "*" are prefixes.
var passed = []string{
	"PATH", "HOME", "CI", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "LC_*", "XDG_*",
	"NODE_*", "VIRTUAL_ENV", "PYENV_*", "CONDA_*", "PYTHONPATH", "PYTHONHOME", "NVM_*", "VOLTA_*", "FNM_*", "ASDF_*", "MISE_*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_*", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
}

// passedWindows is what a process on Windows cannot do without.
var passedWindows = []string{"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "HOMEDRIVE",
	"HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "USERNAME", "NUMBER_OF_PROCESSORS", "PROCESSOR_*"}

// dropped are exceptions to passed: they change what runs, or belong to the
// process that started us.
var dropped = map[string]bool{"NODE_OPTIONS": true, "NODE_V8_COVERAGE": true, "NODE_CHANNEL_FD": true,
	"NODE_UNIQUE_ID": true, "NODE_TEST_CONTEXT": true}

// Environ is the environment for what runs in the sandbox: an allow-list of
// the user's, a private TMPDIR, and what makes output stable. CI is the user's
// own: with it some frameworks and projects run other tests. Paths into the
// repository that PYTHONPATH and NODE_PATH hold are mapped to the worktree.
func (s *Sandbox) Environ() []string {
	var env []string
	for _, kv := range s.environ {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || dropped[k] || !allowed(k) {
			continue
		}
		if k == "PYTHONPATH" || k == "NODE_PATH" {
			v = s.mapList(v)
		}
		env = append(env, k+"="+v)
	}
	return append(env, "TMPDIR="+s.tmp, "TMP="+s.tmp, "TEMP="+s.tmp, "NO_COLOR=1", "FORCE_COLOR=0")
}

func allowed(key string) bool {
	lists := [][]string{passed}
	if runtime.GOOS == "windows" {
		lists = append(lists, passedWindows)
		key = strings.ToUpper(key)
	}
	for _, list := range lists {
		for _, p := range list {
			if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(key, prefix) || p == key {
				return true
			}
		}
	}
	return false
}

// mapList maps the entries of a path list that lie in the repository.
func (s *Sandbox) mapList(list string) string {
	entries := filepath.SplitList(list)
	for i, e := range entries {
		if rel, ok := inside(s.Origin(), e); ok {
			entries[i] = filepath.Join(s.Root(), rel)
		}
	}
	return strings.Join(entries, string(filepath.ListSeparator))
}

// inside gives path relative to dir if it is dir or below it; both abs.
func inside(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || !filepath.IsAbs(path) {
		return "", false
	}
	return rel, true
}

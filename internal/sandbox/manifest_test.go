package sandbox

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleManifest() (header, manifest) {
	return header{"t", "c", "b"}, manifest{
		"a\nb": {sig: sig{Ino: 7, Size: 3, Mtime: -5, Ctime: 1 << 60, Mode: 0o644},
			Entry: Entry{Mode: fs.ModeSymlink | 0o777, Size: 3, Sum: sumOf([]byte("abc")), Tracked: true}, settled: true},
		"": {},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	h, m := sampleManifest()
	if err := saveManifest(path, h, m); err != nil {
		t.Fatal(err)
	}
	gotH, gotM := loadManifest(path)
	if d := cmp.Diff(h, gotH); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(m, gotM, cmp.AllowUnexported(record{})); d != "" {
		t.Error(d)
	}
	if _, m := loadManifest(path + ".none"); len(m) != 0 {
		t.Errorf("a missing manifest = %v", m)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(encodeManifest(sampleManifest()))
	f.Add([]byte(manifestMagic + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, src []byte) {
		h, m := decodeManifest(src)
		h2, m2 := decodeManifest(encodeManifest(h, m))
		if h != h2 || len(m) != len(m2) {
			t.Errorf("round trip: %v %d, %v %d", h, len(m), h2, len(m2))
		}
	})
}

func FuzzCheckPath(f *testing.F) {
	for _, s := range []string{"a/b", "../x", "/x", "a/../../b", ".git/x", "a//b", "a/.GIT/b", "", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rel string) {
		if checkPath(rel) == nil && !filepath.IsLocal(rel) {
			t.Errorf("checkPath(%q) lets it out", rel)
		}
	})
}

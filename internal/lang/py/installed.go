package py

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/plain"
)

// otherNames are the modules of distributions that bear another name.
var otherNames = map[string][]string{
	"pyyaml": {"yaml"}, "pillow": {"PIL"}, "beautifulsoup4": {"bs4"}, "scikit-learn": {"sklearn"}, "scikit-image": {"skimage"},
	"opencv-python": {"cv2"}, "opencv-python-headless": {"cv2"}, "python-dateutil": {"dateutil"}, "python-dotenv": {"dotenv"},
	"python-jose": {"jose"}, "python-multipart": {"multipart", "python_multipart"}, "pyjwt": {"jwt"}, "pymysql": {"pymysql"},
	"mysqlclient": {"MySQLdb"}, "psycopg2-binary": {"psycopg2"}, "psycopg-binary": {"psycopg"}, "protobuf": {"google"},
	"attrs": {"attr", "attrs"}, "setuptools": {"setuptools", "pkg_resources"}, "msgpack-python": {"msgpack"}, "pyserial": {"serial"},
	"pycryptodome": {"Crypto"}, "pycryptodomex": {"Cryptodome"}, "pyopenssl": {"OpenSSL"}, "django": {"django"}, "djangorestframework": {"rest_framework"},
	"markdown-it-py": {"markdown_it"}, "typing-extensions": {"typing_extensions"}, "importlib-metadata": {"importlib_metadata"}, "gitpython": {"git"},
	"ruamel-yaml": {"ruamel"}, "websocket-client": {"websocket"}, "dnspython": {"dns"}, "ujson": {"ujson"}, "pywin32": {"win32api", "win32con", "pythoncom"},
	"pyzmq": {"zmq"}, "faiss-cpu": {"faiss"}, "umap-learn": {"umap"}, "tree-sitter": {"tree_sitter"}, "jinja2": {"jinja2"}, "markupsafe": {"markupsafe"},
}

// Modules knows the usual exceptions; otherwise a module has the
// distribution's name, with or without the word python around it.
func (*Language) Modules(dist string) []string {
	if m, ok := otherNames[dist]; ok {
		return m
	}
	flat := strings.ReplaceAll(dist, "-", "_")
	first, _, _ := strings.Cut(dist, "-")
	out := []string{flat}
	for _, m := range []string{strings.TrimPrefix(flat, "python_"), strings.TrimSuffix(flat, "_python"), strings.TrimPrefix(flat, "py_"), strings.TrimPrefix(flat, "py"), first} {
		if m != "" && m != "python" && m != "py" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Installed reads the metadata of the interpreter's own site-packages.
func (l *Language) Installed() map[string]lang.Distribution {
	if l.python == "" {
		return nil
	}
	prefix := filepath.Dir(filepath.Dir(l.python))
	var infos []string
	for _, pattern := range []string{"lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages",
		"local/lib/python3*/dist-packages", "Lib/site-packages"} {
		found, err := filepath.Glob(filepath.Join(prefix, filepath.FromSlash(pattern), "*.dist-info"))
		if err == nil {
			infos = append(infos, found...)
		}
	}
	if len(infos) == 0 {
		return nil
	}
	out := map[string]lang.Distribution{}
	for _, dir := range infos {
		name, d := readDistInfo(dir)
		if name != "" {
			out[name] = d
		}
	}
	return out
}

func readDistInfo(dir string) (name string, d lang.Distribution) {
	meta, err := plain.ReadFile(filepath.Join(dir, "METADATA"))
	if err != nil {
		return "", d
	}
	lines := bufio.NewScanner(bytes.NewReader(meta))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && lines.Text() != "" {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch key {
		case "Name":
			name = normal(value)
		case "Requires-Dist":
			if end := strings.IndexAny(strings.TrimSpace(value), " ;[(<>=!~"); end > 0 {
				value = strings.TrimSpace(value)[:end]
			}
			d.Requires = append(d.Requires, normal(value))
		}
	}
	tops := map[string]bool{}
	if text, err := plain.ReadFile(filepath.Join(dir, "top_level.txt")); err == nil {
		for _, m := range strings.Fields(string(text)) {
			tops[m] = true
		}
	} else if record, err := plain.ReadFile(filepath.Join(dir, "RECORD")); err == nil {
		for _, line := range strings.Split(string(record), "\n") {
			file, _, _ := strings.Cut(line, ",")
			first, _, deep := strings.Cut(filepath.ToSlash(file), "/")
			if !deep {
				first, _, _ = strings.Cut(file, ".")
			}
			if first != "" && !strings.ContainsAny(first, ".- ") && first != "__pycache__" {
				tops[first] = true
			}
		}
	}
	for m := range tops {
		d.Modules = append(d.Modules, m)
	}
	slices.Sort(d.Modules)
	if text, err := plain.ReadFile(filepath.Join(dir, "entry_points.txt")); err == nil {
		for _, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
				d.EntryPoints = append(d.EntryPoints, strings.Trim(line, "[]"))
			}
		}
	}
	return name, d
}

// normal is the normal form of a distribution's name.
func normal(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(strings.TrimSpace(name)), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

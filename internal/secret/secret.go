// Package secret keeps secrets out of what leaves the machine or is written
// down: it knows values that must not be told, and the shapes of keys.
//
// Its invariant: Text never gives back a value that it was told of. It cannot
// know a secret of no known shape that nobody named.
package secret

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// minValue is the length from which a value counts: "1" and "true" are in
// every environment file, and in every text.
const minValue = 6

// Redactor hides secrets. The zero value and nil know the shapes only.
type Redactor struct {
	values []string // the longest first
}

// New makes a redactor of values that must not be told; short ones are left out.
func New(values ...string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		if v = strings.TrimSpace(v); len(v) >= minValue && !slices.Contains(r.values, v) {
			r.values = append(r.values, v)
		}
	}
	slices.SortFunc(r.values, func(a, b string) int { return len(b) - len(a) })
	return r
}

// shapes are those of well-known keys, and of assignments to names that say
// what they hold. The last group of an assignment is what is hidden.
var shapes = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
		regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),
		regexp.MustCompile(`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,}`),
		regexp.MustCompile(`\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`),
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,}\b`),
		regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{30,}\b`),
		regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`),
		regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}\b`),
		regexp.MustCompile(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`),
		regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}`),
		regexp.MustCompile(`\bey[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
		regexp.MustCompile(`://[^/\s:@]+:([^/\s:@]{3,})@`),
		regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)`),
		regexp.MustCompile(`(?i)(?:api[_-]?key|secret|token|passw(?:or)?d|credential)[A-Za-z0-9_]*["']?\s*[:=]\s*["']([^"'\s]{8,})["']`),
	}
})

// Text is s with every secret replaced by Mark.
func (r *Redactor) Text(s string) string {
	if r != nil {
		for _, v := range r.values {
			s = strings.ReplaceAll(s, v, Mark)
		}
	}
	for _, re := range shapes() {
		if re.NumSubexp() == 0 {
			s = re.ReplaceAllString(s, Mark)
			continue
		}
		var out strings.Builder
		at := 0
		for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
			out.WriteString(s[at:m[2]] + Mark)
			at = m[3]
		}
		s = out.String() + s[at:]
	}
	return s
}

// Holds tells whether src has one of the values in it.
func (r *Redactor) Holds(src []byte) bool {
	return r != nil && slices.ContainsFunc(r.values, func(v string) bool { return bytes.Contains(src, []byte(v)) })
}

// IsFile tells by its name whether a file is there to hold secrets.
func IsFile(rel string) bool {
	name := strings.ToLower(path.Base(rel))
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg":
		return true
	}
	switch name {
	case ".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".htpasswd", ".dockercfg", ".envrc",
		"credentials", "credentials.json", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml":
		return true
	}
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env") || strings.HasPrefix(name, "id_rsa") ||
		strings.HasPrefix(name, "id_ed25519") || strings.HasPrefix(name, "id_ecdsa")
}

// telling are parts of names whose values are secrets.
var telling = []string{"KEY", "SECRET", "TOKEN", "PASS", "PWD", "CREDENTIAL", "AUTH", "PRIVATE", "SALT", "DSN", "COOKIE", "SIGN"}

// Values reads the secrets of an environment file, NAME=value lines with or
// without quotes and export: values of names that tell it, and values that
// look like keys. A mode or a port is none.
func Values(src []byte) []string {
	var out []string
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "export "))
		name, v, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		v = strings.TrimSpace(v)
		if q := strings.IndexAny(v, `"'`); q == 0 {
			if end := strings.IndexByte(v[1:], v[0]); end >= 0 {
				v = v[1 : end+1]
			}
		} else if c := strings.Index(v, " #"); c >= 0 {
			v = strings.TrimSpace(v[:c])
		}
		name = strings.ToUpper(strings.TrimSpace(name))
		if len(v) >= minValue && (slices.ContainsFunc(telling, func(t string) bool { return strings.Contains(name, t) }) || isKey(v)) {
			out = append(out, v)
		}
	}
	return out
}

// isKey tells long texts of letters and digits, and addresses with a password.
func isKey(v string) bool {
	letters, digits := strings.ContainsFunc(v, unicode.IsLetter), strings.ContainsFunc(v, unicode.IsDigit)
	random := len(v) >= 20 && letters && digits && !strings.ContainsAny(v, " /:.,")
	return random || strings.Contains(v, "://") && strings.Contains(v, "@")
}

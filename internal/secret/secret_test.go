package secret

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	// Put together here, so that no scanner takes them for real ones.
	gh, aws, sk := "ghp_"+strings.Repeat("a1", 18), "AKIA"+strings.Repeat("Z9", 8), "sk-proj-"+strings.Repeat("x7", 20)
	jwt := "eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0" + ".c2lnbmF0dXJl0000"
	cases := []struct{ name, in, want string }{
		{"nothing", "expected 20 to be 25 at src/tax.js:3", "expected 20 to be 25 at src/tax.js:3"},
		{"a known value", "key hunter2hunter2!", "key " + Mark + "!"},
		{"the longer value first", "hunter2hunter2-more", Mark},
		{"github", "x " + gh + " y", "x " + Mark + " y"},
		{"aws", aws, Mark},
		{"openai", "\"" + sk + "\"", "\"" + Mark + "\""},
		{"a token of three parts", jwt, Mark},
		{"a private key", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n" + Mark + "\nb"},
		{"half a private key", "-----BEGIN PRIVATE KEY-----\nMIIE", Mark},
		{"an address with a password", "postgres://me:sesame@db/x", "postgres://me:" + Mark + "@db/x"},
		{"a header", "Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer " + Mark},
		{"an assignment", `const apiKey = "abcdefgh12345"; const token_b: 'short'`, `const apiKey = "` + Mark + `"; const token_b: 'short'`},
		{"code about tokens", "token = tokens[i]; password = read()", "token = tokens[i]; password = read()"},
	}
	r := New("hunter2hunter2", "hunter2hunter2-more", "1", "", "true")
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := r.Text(tc.in); got != tc.want {
				t.Errorf("Text(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
	if (*Redactor)(nil).Text("a") != "a" || (*Redactor)(nil).Holds([]byte("a")) || !r.Holds([]byte("x hunter2hunter2")) || r.Holds([]byte("true 1")) {
		t.Error("Holds")
	}
}

func TestIsFile(t *testing.T) {
	for file, want := range map[string]bool{".env": true, "a/.env.local": true, "prod.env": true, "server.pem": true, "x/id_rsa": true, ".npmrc": true,
		"src/environment.ts": false, "env.js": false, "src/key.ts": false, "secrets.py": false, "credentials.json": true} {
		if IsFile(file) != want {
			t.Errorf("IsFile(%s) = %t, want %t", file, !want, want)
		}
	}
}

func TestValues(t *testing.T) {
	got := Values([]byte("# C=commented\nexport API_KEY=\"quoted value\" # no\nB_TOKEN='single=value'\npassword = spaced out # comment\n" +
		"AUTH=1\n\nnothing\nURL=http://x:y@z\r\nNODE_ENV=development\nX=abcdefghij0123456789\nHOST=http://localhost:3000\n"))
	if d := cmp.Diff([]string{"quoted value", "single=value", "spaced out", "http://x:y@z", "abcdefghij0123456789"}, got); d != "" {
		t.Error(d)
	}
}

func FuzzText(f *testing.F) {
	f.Add("token: 'abcdefghijk' ghp_x hunter2hunter2")
	r := New("hunter2hunter2")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(r.Text(s), "hunter2hunter2") {
			t.Errorf("Text(%q) tells the value", s)
		}
	})
}

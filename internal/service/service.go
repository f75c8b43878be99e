// Package service prints what makes a user's service manager keep `regreen
// watch` running in one repository. It installs nothing.
package service

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Service is one watched repository.
type Service struct {
	Program string // abs
	Root    string // abs
	// Environ has the variables that it needs as the user's shell has them, each
	// KEY=VALUE (see Needs).
	Environ []string
}

// Needs gives, of an environment, what a service has to have alike: PATH, on
// which git, node and python are found and of which a service manager's own is
// short, and the variables that say where the daemon's socket, its state, and
// git's settings are, without which the other commands miss it. Of a name that
// is there twice the last counts.
func Needs(environ []string) (out []string) {
	for _, name := range []string{"PATH", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"} {
		for _, kv := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				if value != "" {
					out = append(out, kv)
				}
				break
			}
		}
	}
	return out
}

// name tells the repositories of a user apart.
func (s Service) name() string {
	words := strings.FieldsFunc(filepath.Base(s.Root), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	sum := sha256.Sum256([]byte(s.Root))
	return strings.Join(append([]string{"regreen"}, words...), "-") + "-" + hex.EncodeToString(sum[:3])
}

// Systemd is a user unit and where it goes.
func (s Service) Systemd() (path, text string) {
	unit := s.name() + ".service"
	path = "~/.config/systemd/user/" + unit
	return path, fmt.Sprintf(`# regreen: put it into %s
#   systemctl --user daemon-reload && systemctl --user enable --now %s
# "regreen status" tells what it does, "journalctl --user -u %s" what it said.
[Unit]
Description=regreen watches %s

[Service]
Type=exec
ExecStart=%s watch -C %s --color=never
ExecReload=/bin/kill -HUP $MAINPID
%sRestart=on-failure
RestartSec=10
RestartPreventExitStatus=2
SuccessExitStatus=143

[Install]
WantedBy=default.target
`, path, unit, unit, strings.ReplaceAll(oneLine(s.Root), "%", "%%"), unitWord(s.Program), unitExec(s.Root), s.unitEnviron())
}

func (s Service) unitEnviron() string {
	var b strings.Builder
	for _, kv := range s.Environ {
		b.WriteString("Environment=" + unitWord(kv) + "\n")
	}
	return b.String()
}

// unitWord is a quoted word of a unit file (systemd.syntax(7)): %% is a percent
// sign.
func unitWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// unitExec is an argument of a command line there, in which $$ is a dollar
// sign; in the program's own path nothing is expanded.
func unitExec(s string) string { return strings.ReplaceAll(unitWord(s), "$", "$$") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Launchd is a user agent of macOS and where it goes.
func (s Service) Launchd() (path, text string) {
	label := "dev.regreen." + s.name()
	path = "~/Library/LaunchAgents/" + label + ".plist"
	return path, fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- regreen: put it into %s
     launchctl bootstrap gui/$(id -u) %s -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
		<string>%s</string>
		<string>watch</string>
		<string>-C</string>
		<string>%s</string>
		<string>--color=never</string>
	</array>
	<key>EnvironmentVariables</key>
	<dict>
%s	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>10</integer>
</dict>
</plist>
`, path, path, label, xmlText(s.Program), xmlText(s.Root), s.plistEnviron())
}

func (s Service) plistEnviron() string {
	var b strings.Builder
	for _, kv := range s.Environ {
		name, value, _ := strings.Cut(kv, "=")
		fmt.Fprintf(&b, "\t\t<key>%s</key>\n\t\t<string>%s</string>\n", xmlText(name), xmlText(value))
	}
	return b.String()
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}

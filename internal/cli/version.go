package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"regreen/cycle"
)

// version is set by the linker (-X regreen/internal/cli.version=v1.2.3) and
// otherwise taken from the build information.
var version string

type versionDocument struct {
	Schema   int            `json:"schema"`
	Version  string         `json:"version"`
	Revision string         `json:"revision"` // the commit it was built from
	Modified bool           `json:"modified"` // built from a changed tree
	Time     string         `json:"time"`     // the commit's
	Go       string         `json:"go"`
	OS       string         `json:"os"`
	Arch     string         `json:"arch"`
	Error    *cycle.Problem `json:"error"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.version() },
	}
}

// version is what both the command and --version print.
func (a *app) version() error {
	d := buildVersion()
	if a.flags.json {
		a.printJSON(d)
		return nil
	}
	fmt.Fprintf(a.stdout, "regreen %s", d.Version)
	if d.Revision != "" {
		fmt.Fprintf(a.stdout, " (%.12s", d.Revision)
		if d.Modified {
			fmt.Fprint(a.stdout, ", modified")
		}
		fmt.Fprint(a.stdout, ")")
	}
	fmt.Fprintf(a.stdout, " %s %s/%s\n", d.Go, d.OS, d.Arch)
	return nil
}

func buildVersion() versionDocument {
	d := versionDocument{Schema: cycle.Schema, Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if d.Version == "" {
			d.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				d.Revision = s.Value
			case "vcs.modified":
				d.Modified = s.Value == "true"
			case "vcs.time":
				d.Time = s.Value
			}
		}
	}
	if d.Version == "" || d.Version == "(devel)" {
		d.Version = "devel"
	}
	return d
}

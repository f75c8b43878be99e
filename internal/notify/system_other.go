//go:build !darwin && !windows

package notify

const rootFolder = "/"

// system follows the desktop notifications specification.
func system(n Notice) command {
	return command{program: "notify-send", args: []string{"--app-name=regreen", "--", n.Title, n.Body}}
}

package notify

const rootFolder = "/"

// system hands the texts to the script as arguments.
func system(n Notice) command {
	return command{program: "osascript", args: []string{
		"-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", "--", n.Title, n.Body}}
}

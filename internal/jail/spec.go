package jail

import "fmt"

// Command is the name of the hidden command that is the helper.
const Command = "__sandbox"

// Wanted tells whether the program was started as the helper: it must then call
// Help before it does anything else, above all before it listens to signals.
func Wanted(args []string) bool { return len(args) == 2 && args[1] == Command }

// Spec says what a process sees and what it may do. All paths are absolute.
type Spec struct {
	// Namespace asks for user, mount and process namespaces, in which Mounts
	// are made; without it only Landlock and the limits hold.
	Namespace bool
	// SharedPIDs keeps the machine's process ids, where a new /proc cannot be
	// mounted (in most containers).
	SharedPIDs bool
	// NoNetwork leaves the loopback address only; it needs Namespace.
	NoNetwork bool
	Mounts    []Mount
	// Write are the files and folders that may be written, with all that is
	// below them; nothing else may. One that is missing is left out.
	Write []string
	// NeedLandlock makes it an error when the kernel has no Landlock; without
	// it the mounts alone protect.
	NeedLandlock bool
	Limits       Limits
}

// Mount is one folder or file shown at another place. The mounts are made in
// order; each From is what stood there before the first of them, unless Late.
type Mount struct {
	From, To string
	Late     bool
	// Upper and Work, when set, make it an overlay: From is shown, and what is
	// written goes to Upper. Both are on one file system, Work is empty.
	Upper, Work string
	ReadOnly    bool
}

// Limits are what all processes of a run may use together; 0 is no limit.
type Limits struct {
	MemoryBytes int64
	Processes   int
	// Disk is a folder on the file system to watch: the run ends before it is
	// full. "" watches none.
	Disk string
	// DiskBytes is what a run may write there, below the folders Written.
	DiskBytes int64
	Written   []string
}

// none tells whether there is nothing to hold.
func (l Limits) none() bool { return l.MemoryBytes == 0 && l.Processes == 0 && l.Disk == "" }

// order is what the helper is told.
type order struct {
	Spec
	Path string
	Args []string
	Dir  string
	Env  []string
}

// outcome is what the helper tells.
type outcome struct {
	// Problem is why the process was not started.
	Problem string
	Code    int
	Signal  int
	Limit   string
}

// SetupError says that the walls could not be put up; nothing was run.
type SetupError struct{ Problem string }

// Error is the step that did not work and what the system said.
func (e *SetupError) Error() string { return e.Problem }

// gigabytes writes a size for people.
func gigabytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

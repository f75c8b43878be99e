//go:build !linux

package watch

// Deaf says why the changes below a folder have to be polled; "" when that
// shows only as it is watched.
func Deaf(dir string) string { return deaf(dir) }

// deaf says why the changes below a folder have to be polled. Elsewhere than on
// Linux a folder that cannot be watched gives an error when it is tried.
func deaf(string) string { return "" }

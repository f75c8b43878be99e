package daemon

import "regreen/cycle"

// undoneBefore refuses changes to files that still are, byte for byte, as an
// undo left them, whichever process did it: a daemon that was started since
// knows of no undo itself.
func (d *Daemon) undoneBefore(changes []cycle.Change) error {
	if d.cfg.Undone == nil {
		return nil
	}
	kept := d.cfg.Undone()
	for _, c := range changes {
		now := ""
		if !c.Created {
			now = hexSum(c.Before)
		}
		if sum, ok := kept[c.File]; ok && sum == now {
			return &cycle.NotMerged{Reason: "a merge into " + c.File + " was undone, and the file is still as it was then"}
		}
	}
	return nil
}

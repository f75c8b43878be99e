package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"regreen/internal/git"
)

// importer writes one snapshot commit through git fast-import: one process,
// work in proportion to what is written.
type importer struct {
	w    *bufio.Writer
	pipe *io.PipeWriter
	done chan imported
}

type imported struct {
	tree, commit string
	err          error
}

// startImport begins a commit with the given parent ("" for none) whose tree
// starts as prev ("" for empty).
func (s *shadow) startImport(ctx context.Context, parent, prev string) *importer {
	r, w := io.Pipe()
	im := &importer{w: bufio.NewWriterSize(w, 256<<10), pipe: w, done: make(chan imported, 1)}
	go func() {
		out, err := s.run.Run(ctx, git.Call{Dir: s.dir, Stdin: r, Args: []string{"--git-dir=" + s.dir,
			"fast-import", "--quiet", "--done", "--force", "--depth=0"}})
		// A git that ended early would leave the writer waiting.
		_ = r.CloseWithError(fmt.Errorf("git fast-import has ended: %w", io.ErrClosedPipe))
		res := imported{err: err}
		if err == nil {
			res.commit, res.tree, res.err = parseImport(string(out))
		}
		im.done <- res
	}()
	fmt.Fprintf(im.w, "feature done\ncommit %s\nmark :1\n", shadowRef)
	// A fixed date: the same tree on the same parent is the same commit.
	im.w.WriteString("committer regreen <regreen@localhost> 0 +0000\ndata 8\nsnapshot\n")
	if parent != "" {
		fmt.Fprintf(im.w, "from %s\n", parent)
	}
	if prev == "" {
		im.w.WriteString("deleteall\n")
	} else {
		fmt.Fprintf(im.w, "M 040000 %s \"\"\n", prev)
	}
	return im
}

// remove drops a path.
func (im *importer) remove(rel string) { fmt.Fprintf(im.w, "D %s\n", quotePath(rel)) }

// file sets a path. The error is the pipe's: git has ended.
func (im *importer) file(rel string, mode fs.FileMode, src []byte) error {
	m := "100644"
	switch {
	case mode&fs.ModeSymlink != 0:
		m = "120000"
	case mode&0o100 != 0:
		m = "100755"
	}
	fmt.Fprintf(im.w, "M %s inline %s\ndata %d\n", m, quotePath(rel), len(src))
	im.w.Write(src)
	return im.w.WriteByte('\n')
}

// finish ends the commit and waits for git.
func (im *importer) finish() (tree, commit string, err error) {
	im.w.WriteString("\nget-mark :1\nls :1 \"\"\ndone\n")
	werr := im.w.Flush()
	_ = im.pipe.Close()
	res := <-im.done
	if res.err == nil && werr != nil {
		res.err = werr
	}
	if res.err != nil {
		return "", "", fmt.Errorf("write the snapshot: %w", res.err)
	}
	return res.tree, res.commit, nil
}

// abort gives up: without its done line git keeps nothing.
func (im *importer) abort() {
	_ = im.pipe.CloseWithError(io.ErrUnexpectedEOF)
	<-im.done
}

// abortWith gives up after a failed write and puts git's own error, which says
// why it ended, in the place of the pipe's.
func (im *importer) abortWith(err *error) {
	_ = im.pipe.CloseWithError(io.ErrUnexpectedEOF)
	if res := <-im.done; res.err != nil {
		*err = res.err
	}
}

func parseImport(out string) (commit, tree string, err error) {
	f := strings.Fields(out)
	if len(f) < 4 || f[1] != "040000" {
		// The tree without files has no entry to list.
		if len(f) >= 2 && f[1] == "missing" {
			return f[0], "", nil
		}
		return "", "", fmt.Errorf("git fast-import gave %q", out)
	}
	return f[0], f[3], nil
}

// quotePath writes a path in git's C style.
func quotePath(rel string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(rel) {
		switch c := rel[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

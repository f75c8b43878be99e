package engine

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"regreen/internal/sandbox"
)

// linksOf gives the snapshot's links, each with the path in the tree that it
// leads to in the end. One that leads out of the tree, or nowhere, is not
// among them.
func linksOf(ctx context.Context, snap *sandbox.Snapshot, root string) (map[string]string, error) {
	texts := map[string]string{}
	for rel, e := range snap.Files {
		if e.Mode&fs.ModeSymlink == 0 {
			continue
		}
		text, err := snap.Bytes(ctx, rel)
		if err != nil {
			return nil, fmt.Errorf("read the link %s: %w", rel, err)
		}
		texts[rel] = string(text)
	}
	return followed(texts, root), nil
}

// maxLinks is how many links one path may lead through; Linux's own limit is 40.
const maxLinks = 40

// followed follows links by their texts alone. root is where the tree lies.
func followed(texts map[string]string, root string) map[string]string {
	out := map[string]string{}
	for rel := range texts {
		if to, ok := follow(texts, root, rel); ok && to != rel {
			out[rel] = to
		}
	}
	return out
}

func follow(texts map[string]string, root, rel string) (string, bool) {
	done, todo := "", strings.Split(rel, "/")
	for n := 0; len(todo) > 0; {
		next := path.Join(done, todo[0])
		todo = todo[1:]
		if next == ".." {
			return "", false
		}
		text, ok := texts[next]
		if !ok {
			done = next
			if done == "." {
				done = ""
			}
			continue
		}
		if n++; n > maxLinks {
			return "", false
		}
		if path.IsAbs(text) {
			inside, ok := strings.CutPrefix(path.Clean(text)+"/", strings.TrimSuffix(root, "/")+"/")
			if !ok {
				return "", false
			}
			done, text = "", strings.TrimSuffix(inside, "/")
		}
		todo = append(strings.Split(text, "/"), todo...)
	}
	return done, done != ""
}

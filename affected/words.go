package affected

import (
	"hash/maphash"
	"iter"
)

// wordSet is a set of words in one machine word: each stands for one bit, which
// it may share with others. Where two sets have no bit in common they have no
// word in common; where they have one, the words themselves have to be looked
// at. It spares that look for nearly all files when one comes or goes.
type wordSet uint64

// everyWord is the set of whoever may be meant by any word.
const everyWord = ^wordSet(0)

// wordSeed is the hash's; sets are compared within one process alone.
var wordSeed = maphash.MakeSeed()

func (w wordSet) meets(other wordSet) bool { return w&other != 0 }

// with adds a word. One separator before it does not count, since a key may
// begin with one (".env").
func (w wordSet) with(word string) wordSet {
	if word != "" && separates(word[0]) {
		word = word[1:]
	}
	return w | 1<<(maphash.String(wordSeed, word)&63)
}

func setOf(keys map[string]bool) wordSet {
	var w wordSet
	for k := range keys {
		w = w.with(k)
	}
	return w
}

// wordSet has a bit of each word for which concerned says yes.
func (s *scanned) wordSet() wordSet {
	var w wordSet
	add := func(spec string) {
		for start, end := range words(spec) {
			w = w.with(spec[start:end])
		}
		if endsInFolder(spec) {
			w = everyWord
		}
	}
	for i := range s.imports {
		imp := &s.imports[i]
		if imp.always() || imp.mapped {
			return everyWord
		}
		add(imp.spec)
		for _, n := range imp.names {
			w = w.with(n)
		}
	}
	for _, p := range s.data {
		add(p)
	}
	return w
}

func separates(c byte) bool { return c == '/' || c == '.' || c == '\\' || c == '?' }

// words are where the words of a specifier begin and end.
func words(spec string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for start, i := 0, 0; i <= len(spec); i++ {
			if i < len(spec) && !separates(spec[i]) {
				continue
			}
			if i > start && !yield(start, i) {
				return
			}
			start = i + 1
		}
	}
}

package door

import (
	"context"
	"sync"
	"time"
)

// letters are those that went into a program, and what it says of them on an inbox of parley's. Safe for concurrent
// use.
type letters struct {
	silent Answer // of one of which the program has said nothing
	pace   pace

	mu    sync.Mutex
	fates map[string]Answer
	shut  string        // why it takes no more, "" if it does: the user's settings keep messages back
	heard chan struct{} // closed at the next answer
}

func newLetters(silent Answer) *letters {
	return &letters{silent: silent, pace: pace{now: time.Now}, fates: map[string]Answer{}, heard: make(chan struct{})}
}

// admit returns an error unless the program takes another letter now, as a line of at most so many bytes.
func (ls *letters) admit(line []byte, most int) error {
	ls.mu.Lock()
	shut := ls.shut
	ls.mu.Unlock()

	switch {
	case len(line) > most:
		return notNow("it takes no line of %d bytes", len(line))
	case shut != "":
		return notNow("what came last is %s", shut)
	}
	if wait := ls.pace.take(); wait > 0 {
		return tooFast(wait)
	}

	return nil
}

// expect notes a letter of which the program may say something.
func (ls *letters) expect(id string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.fates[id] = ls.silent
}

// of returns what the program has said of a letter, and whether it went in while this daemon listened.
func (ls *letters) of(id string) (answer Answer, ours bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if answer, ours = ls.fates[id]; !ours {
		answer = ls.silent
	}
	return answer, ours
}

// hear notes a word that the program says of some of them. after returns what is known of one of them by then.
func (ls *letters) hear(word string, ids []string, after func(before Answer) Answer) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if word == "held" || word == "refused" {
		ls.shut = word
	}
	for _, id := range ids {
		if before, ours := ls.fates[id]; ours {
			ls.fates[id] = after(before)
		}
	}
	close(ls.heard)
	ls.heard = make(chan struct{})
}

// first waits a moment for what the program says of a letter.
func (ls *letters) first(ctx context.Context, id string, within time.Duration) Answer {
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		ls.mu.Lock()
		answer, heard := ls.fates[id], ls.heard
		ls.mu.Unlock()
		if answer != ls.silent {
			return answer
		}

		select {
		case <-heard:
		case <-late.C:
			return answer
		case <-ctx.Done():
			return answer
		}
	}
}

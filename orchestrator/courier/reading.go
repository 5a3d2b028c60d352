package courier

import (
	"strings"
	"sync"

	"parley/profile"
	"parley/tmux"
)

// reading is what a profile reads on a screen, without the terminal's title.
type reading struct {
	shows     profile.State
	composer  string // the text in the composer
	composing bool   // the composer is on the screen
}

// readings remembers what was read on screens. To match a profile's markers takes some
// tenths of a millisecond, and most looks find a screen that an earlier one found.
type readings struct {
	limit int

	mu    sync.Mutex
	known map[screenKey]reading
}

// screenKey is all of a screen that a reading depends on.
type screenKey struct {
	profile          *profile.Profile
	text             string
	width            int
	cursorX, cursorY int
	hidden, full     bool // the cursor; the alternate screen
}

// manyReadings is how many screens are remembered, some 2 kB each.
const manyReadings = 512

// read reads a screen.
func (r *readings) read(p *profile.Profile, s *tmux.Screen) reading {
	key := screenKey{p, strings.Join(s.Lines, "\n"), s.Width, s.CursorX, s.CursorY, s.CursorHidden, s.AltScreen}
	r.mu.Lock()
	found, ok := r.known[key]
	r.mu.Unlock()
	if ok {
		return found
	}

	found.shows = p.Look(s.Lines)
	found.composer, found.composing = p.Composer(screenOf(*s))

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= r.limit {
		r.known = map[screenKey]reading{}
	}
	r.known[key] = found

	return found
}

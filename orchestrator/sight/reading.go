package sight

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/program/typed"
	"parley/tmux"
)

// reading is what a profile reads on a screen, without the terminal's title.
type reading struct {
	profile.Reading
	profile *profile.Profile
	lines   []string // of the screen

	mu       sync.Mutex
	compared letter.Letter // last
	sight    sight         // of that
}

// Refusal returns the cause with which the program refuses a text, "" if it does not.
func (r *reading) Refusal() string {
	if r.Cause != "" && slices.Contains(r.profile.Markers.Refusals, r.Cause) {
		return r.Cause
	}
	return ""
}

// sight is what a screen shows of a letter.
type sight struct {
	composed bool // it stands in the composer, or what is shown in place of a long text does
	only     bool // nothing else does
	cut      bool // nothing else does, though letters at the edge may be missing
	above    bool // its footer stands above the composer
}

// of compares the screen with a letter. An attempt looks at the same screen many times, and only
// the first comparison is work.
func (r *reading) of(l *letter.Letter) sight {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.compared != *l {
		r.compared, r.sight = *l, r.compare(l)
	}
	return r.sight
}

func (r *reading) compare(l *letter.Letter) sight {
	if !r.Composing {
		return sight{}
	}
	marked := profile.Holds(r.Composer, l.Mark)
	return sight{
		composed: marked || r.profile.Collapsed(r.Composer),
		only:     marked && profile.HoldsOnly(r.Composer, l.Text) || r.profile.CollapsedOnly(r.Composer),
		cut:      marked && profile.HoldsCut(r.Composer, l.Text),
		above:    l.Foot != "" && profile.Shown(r.Above, l.Foot),
	}
}

// Sees reports what a screen shows of a text that was typed: whether it stands in the composer, or what is
// shown in place of a long one does, and whether nothing else does. mark is a part that only this text has.
func Sees(p *profile.Profile, screen tmux.Screen, text, mark string) (composed, only bool) {
	r := reading{Reading: p.Read(ScreenOf(screen)), profile: p}
	at := r.compare(&letter.Letter{Text: text, Mark: mark})
	return at.composed, at.only
}

// Readings remembers what was read on screens. To match a profile's markers takes some
// tenths of a millisecond, and most looks find a screen that an earlier one found.
type Readings struct {
	limit int

	mu    sync.Mutex
	known map[screenKey]*reading
}

// screenKey is all of a screen that a reading depends on.
type screenKey struct {
	profile          *profile.Profile
	lines, styled    uint64 // their hashes
	width            int
	cursorX, cursorY int
	hidden, full     bool // the cursor; the alternate screen
}

var hashSeed = maphash.MakeSeed()

func hashOf(lines []string) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, line := range lines {
		_, _ = h.WriteString(line)
		_ = h.WriteByte('\n')
	}
	return h.Sum64()
}

// NewReadings returns a memory of so many screens.
func NewReadings(limit int) *Readings { return &Readings{limit: limit} }

// ManyReadings is how many screens are remembered, some 4 kB each.
const ManyReadings = 512

// read reads a screen.
func (r *Readings) read(p *profile.Profile, s *tmux.Screen) *reading {
	key := screenKey{p, hashOf(s.Lines), hashOf(s.Styled), s.Width, s.CursorX, s.CursorY, s.CursorHidden, s.AltScreen}
	r.mu.Lock()
	found, ok := r.known[key]
	r.mu.Unlock()
	if ok && slices.Equal(found.lines, s.Lines) {
		return found
	}

	found = &reading{Reading: p.Read(ScreenOf(*s)), profile: p, lines: s.Lines}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= r.limit {
		r.known = map[screenKey]*reading{}
	}
	r.known[key] = found

	return found
}

// screener is a pane whose screen can be read.
type screener interface {
	Screen(ctx context.Context, opts tmux.ScreenOptions) (tmux.Screen, error)
}

// ReadPane reads a terminal to see whether it may be typed to. A text in the composer of a known program can be what
// the program suggests: only its colours tell, which cost the server four times as much.
func ReadPane(ctx context.Context, p screener, known *profile.Profile, r *Readings) (tmux.Screen, error) {
	screen, err := p.Screen(ctx, tmux.ScreenOptions{})
	if err != nil || !known.HasMarkers() {
		return screen, err
	}
	o := r.read(known, &screen)
	if !o.Composing || strings.TrimSpace(o.Composer) == "" || typed.Holds(o.Composer) {
		return screen, nil
	}

	screen, err = p.Screen(ctx, tmux.ScreenOptions{Colours: true})
	return screen.WithoutColours(), err
}

// ReadScreen reads a terminal, with its colours where a text stands in its composer.
func ReadScreen(ctx context.Context, t *team.Terminal) (tmux.Screen, error) {
	return ReadPane(ctx, t.Pane, t.Profile, new(Readings))
}

// ScreenOf returns a screen as a profile reads it.
func ScreenOf(s tmux.Screen) profile.Screen {
	return profile.Screen{
		Lines: s.Lines, Colours: s.Styled, Width: s.Width, CursorX: s.CursorX, CursorY: s.CursorY,
		CursorHidden: s.CursorHidden, FullScreen: s.AltScreen,
	}
}

// withTitle is what a screen shows, unless it shows only an open composer and the title
// of the terminal says more.
func (r *reading) withTitle(p *profile.Profile, text string) profile.State {
	if r.Shows != profile.Idle {
		return r.Shows
	}
	if title, _ := p.Title(text); title.State != "" {
		switch title.State {
		case parley.StateWaiting:
			return profile.Dialog
		case parley.StateBusy:
			return profile.Busy
		case parley.StateBlocked:
			return profile.Blocked
		}
	}
	return r.Shows
}

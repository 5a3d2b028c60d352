package tui

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/tui/agents"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/traffic"
)

// Options connect the screen to the world. Service, Follow and Attach are
// required.
type Options struct {
	Service   parley.Service
	Workspace string // its path or name, shown at the top

	// Follow streams the events after a sequence number. An error that it
	// yields means that the daemon is away. It may go on after one, or end: it
	// is then called again with the last number seen.
	Follow func(ctx context.Context, after int64) iter.Seq2[parley.Event, error]

	Surroundings
	Style

	Open    Target            // is shown first
	Problem error             // is told first; nil for none
	Tip     string            // which key to press, until one is pressed
	Version string            // of this program; "" if it is not known
	Notify  room.Notify       // how the operator learns of what came for them
	Filters map[string]string // by name, to be recalled

	ReturnKey string           // the key that comes back from Attach; tmux's own if empty
	Now       func() time.Time // the clock, and with it the time zone; time.Now if nil
	NewKey    func() string    // makes idempotency keys; random UUIDs if nil
	Environ   []string         // for the terminal's abilities, and NO_COLOR; os.Environ if nil
}

// Surroundings is what the program around the screen can do. Only Attach is always there.
type Surroundings struct {
	// Attach returns the command that shows an agent's terminal in this one.
	Attach func(name string) (*exec.Cmd, error)

	// Beside returns the command that shows the terminal in a window beside
	// this screen and ends at once. It is nil unless the screen runs within the
	// person's own tmux.
	Beside func(name string) (*exec.Cmd, error)

	// Export writes messages to a new file, and returns their number.
	Export func(ctx context.Context, what room.Exported, path string) (int, error)

	Buffer     func(ctx context.Context, text string) error // fills the buffer of the tmux around
	Programs   func() []Program                             // that may be launched
	Workspaces func(context.Context) ([]Workspace, error)   // all of the person, also of other machines
	Examine    func(context.Context) []health.Finding       // looks at everything as the doctor does
}

// Style is how the screen looks and what it listens to.
type Style struct {
	Still   bool              // nothing moves that need not
	Mouse   bool              // selects and scrolls; the terminal's own selection is then off
	NoColor bool              // no colours, whatever Environ says
	ASCII   bool              // nothing but ASCII, whatever Environ says
	Look    Look              // columns and sizes
	Theme   string            // one of Themes; the first of them if empty
	Keys    map[string]string // by action, where they are not the usual ones
}

func (o Options) withDefaults() Options {
	o.NoColor = o.NoColor || o.Theme == kit.ThemeNone
	if o.ReturnKey == "" {
		o.ReturnKey = tmuxDetach
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewKey == nil {
		o.NewKey = uuid.NewString
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}

	// Any value but the empty one counts: no-color.org. The renderer by itself
	// knows only true and 1.
	o.NoColor = o.NoColor || slices.ContainsFunc(o.Environ, func(e string) bool {
		return strings.HasPrefix(e, "NO_COLOR=") && e != "NO_COLOR="
	})

	o.ASCII = o.ASCII || !kit.KnowsUTF8(o.Environ)

	return o
}

// tmuxDetach leaves a terminal that shows a tmux session.
const tmuxDetach = "ctrl+b d"

// Target is what the screen shows first. At most one of its fields is set.
type Target struct {
	Screen  string         // one of Screens
	Agent   string         // an agent's id
	Message string         // a message's id
	Thread  *parley.Thread // a discussion
}

// Screens are the values of Target.Screen, in the order of their keys.
var Screens = []string{"traffic", "agents", "threads", "needs", "health"}

// What the settings and the program around the screen name. The rooms declare it.
type (
	Exported   = room.Exported
	Finding    = health.Finding
	Notify     = room.Notify
	QuietHours = room.QuietHours
)

// Themes are the values of Style.Theme.
var Themes = kit.Themes

// CheckFilters reports what is wrong with the filters of the settings.
func CheckFilters(filters map[string]string) error { return traffic.CheckFilters(filters) }

// SafeScreen returns the lines of a terminal in at most w columns, with nothing in them but text and colours.
func SafeScreen(lines []string, w int) []string { return agents.SafeScreen(lines, w) }

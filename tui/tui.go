// Package tui is the operator's screen: traffic as it happens, the agents, what
// became of each message, and a box to write in. It shows the answers of a
// parley.Service and its event stream, in one bubbletea program: Update decides,
// commands do the I/O, View is a function of the model.
package tui

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"parley"
	"parley/tui/agents"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/traffic"
)

// Run shows the screen on out, reads keys from in, and returns when the person
// leaves it or ctx ends. It returns the workspace that the person chose to see next,
// "" for none. The service is called with ctx.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) (next string, err error) {
	o = o.withDefaults()
	ctx, stop := context.WithCancel(ctx)
	notes := make(chan note, feedBuffer)
	done := make(chan struct{})
	go func() {
		defer close(done)
		feed(ctx, o.Service, o.Follow, notes)
	}()

	defer func() { stop(); <-done }()

	if terminal, ok := in.(*os.File); ok {
		in = newWholeInput(terminal)
	}
	m := newModel(o, newCommands(ctx, o, notes))
	screen := &paced{model: m}
	screen.program = tea.NewProgram(screen, tea.WithContext(ctx),
		tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(o.Environ))
	_, err = screen.program.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, tea.ErrInterrupted):
		return "", nil
	}

	return m.workspaces.chosen, err
}

const (
	drawEvery = 4 * time.Millisecond   // while something happens: a key waits half of it
	restEvery = 500 * time.Millisecond // while nothing does
	drawsFor  = 100 * time.Millisecond // after the last view
)

// paced is the model of a program whose renderer rests while nothing happens. Bubble Tea looks sixty times
// a second whether there is something to draw, which takes a hundredth of a core on an idle screen, and it
// offers no way to change that while it runs. So its ticker is looked up by name.
type paced struct {
	model   *model
	program *tea.Program
	drawn   tea.View
	ticker  *time.Ticker // the renderer's; nil before the first view, or if this Bubble Tea has none
	rest    *time.Timer
}

// Init asks for everything once.
func (p *paced) Init() tea.Cmd { return p.model.Init() }

// Update decides what a message means.
func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.model.Update(msg)
	return p, cmd
}

// View draws the screen, and wakes the renderer to write it.
func (p *paced) View() tea.View {
	if p.model.same && p.drawn.Content != "" {
		return p.drawn
	}
	p.drawn = p.model.View()
	p.wake()
	return p.drawn
}

// wake makes the renderer look often for a while.
func (p *paced) wake() {
	if p.ticker == nil {
		if p.ticker = tickerOf(p.program); p.ticker == nil {
			return
		}
		p.rest = time.AfterFunc(drawsFor, func() { p.ticker.Reset(restEvery) })
		p.ticker.Reset(drawEvery)
		return
	}

	// A rest that is over means that the ticker is slow.
	if resting := !p.rest.Reset(drawsFor); resting {
		p.ticker.Reset(drawEvery)
	}
}

// tickerOf returns the ticker of a running program's renderer, nil if there is none by its name.
func tickerOf(program *tea.Program) *time.Ticker {
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(field.Addr().UnsafePointer())
}

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

package tui

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/internal/must"
	"parley/tui/compose"
	"parley/tui/kit"
	"parley/tui/room"
)

// stage drives a model by messages: what its commands answer goes back into it
// at once. Waiting, following and terminals are left out.
type stage struct {
	t        testing.TB
	m        *model
	service  *fakeService
	attached []string
	opened   []string // texts, in the editor
	quit     bool
	editor   error
	blind    bool                   // agents are not looked at any longer
	rang     []string               // raw sequences that the terminal got
	withheld func(kind string) bool // answers that do not come; nil for none
	late     []tea.Msg              // those answers
}

// What the screen waits for by the clock: between two looks at terminals, and before a look at all agents.
const (
	betweenLooks = 700 * time.Millisecond
	betweenTiles = 1200 * time.Millisecond
	beforeAgents = 50 * time.Millisecond
	beforeCounts = 2 * time.Second
)

// bindings returns the table of keys.
func bindings() []kit.Binding {
	return newModel(Options{}.withDefaults(), room.Commands{Now: time.Now}).room.Keys.Bound.All
}

// bound returns the binding of a key in a scope, or nil.
func bound(s kit.Scope, key string) *kit.Binding { return (&kit.Keymap{All: bindings()}).Find(s, key) }

func newScreen(t testing.TB, f *fakeService, w, h int, change ...func(*Options)) *stage {
	s := newStage(t, f, w, h, change...)
	s.news()
	return s
}

// newBusyScreen is the screen of a busy team.
func newBusyScreen(t testing.TB, w, h int, change ...func(*Options)) (*stage, *fakeService) {
	f := busyTeam()
	return newScreen(t, f, w, h, change...), f
}

// newStage is a screen that has not heard of any event.
func newStage(t testing.TB, f *fakeService, w, h int, change ...func(*Options)) *stage {
	return newUnread(t, f, w, h, nil, change...)
}

// newUnread is a screen that has not heard of any event, and does not get the answers of some kinds.
func newUnread(
	t testing.TB, f *fakeService, w, h int, withheld func(kind string) bool, change ...func(*Options),
) *stage {
	if must.Raced {
		t.Skip("draws in one goroutine: tested without the race detector")
	}
	o := f.options()
	for _, c := range change {
		c(&o)
	}

	s := &stage{t: t, service: f, withheld: withheld}
	do := newCommands(context.Background(), o, nil)
	do.Next, do.Tick = nil, nil
	do.Later = func(wait time.Duration, r room.Request) tea.Cmd {
		switch wait {
		case betweenLooks, betweenTiles:
			return nil // one look at a terminal is enough
		case beforeAgents, beforeCounts:
			if s.blind {
				return nil
			}
		}

		return do.Call(r)
	}

	do.Edit = func(d room.Draft) tea.Cmd {
		return func() tea.Msg { return compose.EditedMsg{To: d.To, Text: d.Text + " edited", Err: s.editor} }
	}

	do.Open = func(msg room.TextMsg) tea.Cmd {
		s.opened = append(s.opened, msg.Text)
		return func() tea.Msg { return room.OpenedMsg{Name: msg.Name} }
	}

	do.Show = func(name string, _ *exec.Cmd) tea.Cmd {
		s.attached = append(s.attached, name)
		return func() tea.Msg { return room.ReturnedMsg{Name: name} }
	}

	s.m = newModel(o, do)
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	s.run(s.m.Init(), 0)

	return s
}

// news hands over the events that the screen has not seen.
func (s *stage) news() {
	s.service.mu.Lock()
	events := s.service.events
	s.service.mu.Unlock()
	s.send(room.FeedMsg{Events: events, At: noon})
}

// looks has the screen look at all agents, also if it is blind.
func (s *stage) looks() { s.run(s.m.room.Link.LookFirst(), 0) }

// box is what is written in the box.
func (s *stage) box() string {
	if !s.m.compose.Open {
		return ""
	}
	lines := strings.Split(s.text(), "\n")[kit.RowsTop+s.m.layout.ScreenH+1 : kit.RowsTop+s.m.layout.BodyH]
	if strings.HasPrefix(lines[0], "  to ") {
		lines = lines[1:]
	}
	text, _, _ := strings.Cut(strings.ReplaceAll(strings.Join(lines, "\n"), "\n  ", "\n"), "\n\n")
	return strings.TrimSpace(text)
}

func (s *stage) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.run(cmd, 0)
}

func (s *stage) run(cmd tea.Cmd, depth int) {
	if cmd == nil {
		return
	}
	if depth > 200 {
		s.t.Fatal("commands answer each other without end")
	}

	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c, depth+1)
		}
	case tea.RawMsg:
		s.rang = append(s.rang, fmt.Sprint(msg.Msg))
	case tea.QuitMsg:
		s.quit = true
	default:
		if s.withheld != nil && s.withheld(fmt.Sprintf("%T", msg)) {
			s.late = append(s.late, msg)
			return
		}
		_, next := s.m.Update(msg)
		s.run(next, depth+1)
	}
}

// press sends keys by their names; longer words that are no names are typed.
func (s *stage) press(keys ...string) {
	for _, k := range keys {
		s.send(keyMsg(k))
	}
}

// choose puts the marker on an agent.
func (s *stage) choose(name string) {
	s.t.Helper()
	s.press("2", "g")
	for range s.m.room.Team.List {
		if s.marked() == name {
			return
		}
		s.press("j")
	}
	s.t.Fatalf("there is no agent %s:\n%s", name, s.text())
}

// marked is the name of the agent that the marker is on; "" for none.
func (s *stage) marked() string {
	if a := s.m.room.About().Agent; a != nil {
		return a.Name
	}
	return ""
}

func (s *stage) typed(text string) {
	for _, r := range text {
		s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// enters types a text and presses Enter.
func (s *stage) enters(text string) {
	s.typed(text)
	s.press("enter")
}

var keyCodes = map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "up": tea.KeyUp,
	"down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	"backspace": tea.KeyBackspace}

func keyMsg(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}

	if code, ok := keyCodes[name]; ok {
		k.Code = code
		return k
	}

	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}

	return k
}

// text is the screen as it is read, without colours.
func (s *stage) text() string { return ansi.Strip(s.m.View().Content) }

func (s *stage) shows(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if got := s.text(); !strings.Contains(got, w) {
			s.t.Errorf("the screen does not show %q:\n%s", w, got)
		}
	}
}

func (s *stage) hides(not ...string) {
	s.t.Helper()
	for _, w := range not {
		if got := s.text(); strings.Contains(got, w) {
			s.t.Errorf("the screen shows %q:\n%s", w, got)
		}
	}
}

// did checks what the keys changed.
func (s *stage) did(want string) {
	s.t.Helper()
	if got := s.service.actions(); got != want {
		s.t.Errorf("did %q, want %q", got, want)
	}
}

// fits checks that no line is too wide, by either way of counting, and that
// there are not too many.
func (s *stage) fits(after string) {
	s.t.Helper()
	l := s.m.layout
	content := s.m.View().Content
	lines := strings.Split(content, "\n")
	room := l.Width - kit.Spare
	if l.Small() {
		room = l.Width
	}
	if len(lines) > l.Height {
		s.t.Fatalf("after %s: %d lines at %dx%d\n%s", after, len(lines), l.Width, l.Height, ansi.Strip(content))
	}

	for i, line := range lines {
		if w := kit.Width(line); w > room {
			s.t.Fatalf("after %s: line %d is %d columns wide at %dx%d: %q", after, i, w, l.Width, l.Height, line)
		}
	}
}

var gone = parley.Errorf(parley.DaemonUnavailable, "no daemon runs here").Suggest("Start it: parley serve")

// drawsALot leaves a test out of a short run: it takes most of the time of these tests.
func drawsALot(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("draws a lot, one after the other")
	}
}

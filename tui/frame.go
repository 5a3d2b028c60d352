package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/plain"
	"parley/tui/agents"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/traffic"
)

// frame is what stands around each screen: the header, the names of the screens, and the keys.
type frame struct {
	room      *room.Shared
	workspace string
	ascii     bool // the terminal knows nothing else
	needs     *needs.Screen
}

// windowTitle counts what waits for the operator.
func (f *frame) windowTitle() string {
	title := "parley " + f.workspace
	if n, _ := f.needs.Waiting(); n > 0 {
		title = fmt.Sprintf("(%d) %s", n, title)
	}
	return title
}

// encode joins lines, in ASCII for a terminal that knows nothing else.
func (f *frame) encode(lines []string) string {
	content := strings.Join(lines, "\n")
	if f.ascii {
		return kit.ToASCII(content)
	}
	return content
}

// tooSmall asks for more room, in whatever room there is.
func (f *frame) tooSmall(l *kit.Layout) []string {
	key := "q"
	if f.room.Keys.Scope() == room.InCompose {
		key = "ctrl+c"
	}

	text := fmt.Sprintf("parley needs %d×%d; this window is %d×%d. "+
		"Make it larger: nothing is lost. %s quits.", kit.MinWidth, kit.MinHeight, l.Width, l.Height, key)
	if f.room.Status.Leaving {
		text = f.room.Status.Text
	}

	lines := kit.Wrap(text, max(l.Width-kit.Spare, 2))
	for i := range lines {
		lines[i] = kit.Fit(lines[i], l.Width)
	}

	return lines[:min(len(lines), l.Height)]
}

// header names the workspace and says how things stand.
func (f *frame) header(w int) string {
	words := []string{f.room.Theme.Accent.Render("parley"), f.room.Theme.Strong.Render(kit.Fit(f.workspace, 24))}
	if f.room.Link.Lost != nil {
		return kit.Columns(append(words, f.room.Theme.Alarm.Render(" ✗ daemon gone, reconnecting… ")), "  ", w)
	}

	if f.room.Link.Team {
		words = append(words, f.waiting()...)
		words = append(words, f.room.Team.Summary(f.room.Theme)...)
		if len(f.room.Team.List) == 0 {
			words = append(words, f.room.Theme.Dim.Render("no agents"))
		}
	}

	return kit.Columns(words, "  ", w)
}

// waiting says whether messages are paused, what needs the operator, what came
// for them, what is stuck, and what is on its way. It leaves out zeros.
func (f *frame) waiting() []string {
	var words []string
	s, th := f.room.Link.Status, f.room.Theme
	add := func(style interface{ Render(...string) string }, n int, text string) {
		if n > 0 {
			words = append(words, style.Render(fmt.Sprintf(text, n)))
		}
	}

	if p := s.Paused; p != nil {
		words = append(words, th.Alarm.Render(" ‖ paused by "+kit.SafeLine(p.By)+" "))
	}

	pending := s.Deliveries[string(parley.DeliveryQueued)] + s.Deliveries[string(parley.DeliveryTyping)]
	needs, letters := f.needs.Tally()
	add(th.Alarm, needs, " ! %d "+team.NeedWord(needs)+" ")
	add(th.Warn, letters, "%d for you")
	add(th.Bad, s.Deliveries[string(parley.DeliveryUnconfirmed)], "? %d unconfirmed")
	add(th.Plain, s.Deliveries[string(parley.DeliveryHeld)], "‖ %d held")
	add(th.Plain, pending, "○ %d pending")

	return words
}

// tabs returns the bar, and the column before which each of its names ends.
func (f *frame) tabs(w int) (line string, ends []int) {
	var tabs []string
	used := 0
	for i, s := range f.room.Screens {
		text := fmt.Sprintf(" %d %s", i+1, s.Title())
		b := s.Badge()
		if b.Count > 0 {
			text += fmt.Sprintf(" %d", min(b.Count, 999))
		}

		used += kit.Width(text)
		switch {
		case room.Place(i) == f.room.At:
			text = f.room.Theme.Focus.Render("▸" + text[1:])
		case b.Grave && b.Count > 0:
			text = f.room.Theme.Bad.Render(text)
		default:
			text = f.room.Theme.Dim.Render(text)
		}

		tabs = append(tabs, text)
	}

	gap := strings.Repeat(" ", kit.Clamp((w-used)/(len(tabs)-1), 0, 2))

	end := 0
	for _, tab := range tabs {
		end += kit.Width(tab) + len(gap)
		ends = append(ends, end)
	}

	return kit.Fit(strings.Join(tabs, gap), w), ends
}

// tabAt returns the screen whose name is at a column of the bar; ok is false behind the last.
func (f *frame) tabAt(x, w int) (at room.Place, ok bool) {
	_, ends := f.tabs(w)
	for i, end := range ends {
		if x < end {
			return room.Place(i), true
		}
	}
	return 0, false
}

// keyLine shows the keys that matter here. The last two, help and the way out,
// always fit.
func (f *frame) keyLine(w int) string {
	words := f.room.Keys.Bound.Hints(f.room.Keys.Scope())
	if f.room.Keys.Scope() == kit.InShell {
		words = f.room.Keys.Bound.Hints(room.ScreenScope(f.room.At), kit.InShell)
	}

	for i, word := range words {
		key, does, _ := strings.Cut(word, " ")
		words[i] = f.room.Theme.Strong.Render(key) + " " + f.room.Theme.Dim.Render(does)
	}

	split := max(0, len(words)-2)
	last := strings.Join(words[split:], "  ")
	first := kit.Columns(words[:split], "  ", w-kit.Width(last)-2)
	if first == "" {
		return kit.Fit(last, w)
	}

	return first + "  " + last
}

// Look is what the settings say of columns and sizes.
type Look struct {
	AgentColumns   string // names with commas between them; those that fit if empty
	TrafficColumns string // likewise
	DetailWidth    int    // percent of the columns that what stands beside a list has; 0 for as many as it chooses
	DetailHeight   int    // percent of the lines, where it stands below
}

// Bounds of the sizes, in percent.
const (
	LeastDetail = 20
	MostDetail  = 80
)

// CheckLook reports what is wrong with the columns and sizes of the settings.
func CheckLook(l Look) error {
	for _, list := range []struct {
		setting, text string
		known         []string
	}{
		{"agent_columns", l.AgentColumns, agents.Columns},
		{"traffic_columns", l.TrafficColumns, traffic.Columns},
	} {
		names := kit.ColumnsIn(list.text)
		for i, name := range names {
			if !slices.Contains(list.known, name) {
				return noColumn(list.setting, name, list.known)
			}
			if slices.Contains(names[:i], name) {
				return parley.Errorf(parley.InvalidArgument, "%s has %s twice", list.setting, name).
					With("setting", list.setting).Suggest("Name it once.")
			}
		}
	}

	for _, size := range []struct {
		setting string
		percent int
	}{{"detail_width", l.DetailWidth}, {"detail_height", l.DetailHeight}} {
		if n := size.percent; n != 0 && (n < LeastDetail || n > MostDetail) {
			return parley.Errorf(parley.InvalidArgument, "%s is %d", size.setting, n).
				With("setting", size.setting).
				Suggest("Give %d to %d, in percent, or 0.", LeastDetail, MostDetail)
		}
	}

	return nil
}

// noColumn says that there is no such column, and which one is meant.
func noColumn(setting, name string, known []string) error {
	best, score := "", 0
	for _, k := range known {
		if n := kit.Fuzzy(name, k); n > score {
			best, score = k, n
		}
	}

	e := parley.Errorf(parley.InvalidArgument, "%s has %q, which is no column", setting, plain.CleanLine(name)).
		With("setting", setting)
	if best != "" {
		return e.Suggest("Did you mean %s? There are %s.", best, strings.Join(known, ", "))
	}

	return e.Suggest("There are %s.", strings.Join(known, ", "))
}

package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

func (h *Screen) Settle(w, rows int) {
	h.Height, h.drawn = rows-1, h.lines(w)
	h.Pane.Settle(len(h.drawn))
}

func (h *Screen) View(w, _ int) []string {
	return h.Pane.View(h.Plots.room.Theme.Rule("Health", h.Note(len(h.drawn)), w, true), h.drawn)
}

func (h *Screen) lines(w int) []string {
	lines := append(h.findings(w), "")
	if h.Plots.room.Link.Status == nil {
		return lines
	}

	if h.Plots.room.Tier < kit.Wide {
		lines = append(append(lines, h.figures(w)...), h.Plots.matrix(w)...)
		lines = append(append(lines, h.queues(w)...), h.usage.models(w)...)
		return append(lines, h.daemon(w)...)
	}

	half := (w - 3) / 2
	left := slices.Concat(h.figures(half), h.queues(half), h.usage.models(half))
	right := append(h.Plots.matrix(w-3-half), h.daemon(w-3-half)...)
	n := max(len(left), len(right))

	return append(lines, kit.Beside(h.Plots.room.Theme, kit.Clip(left, n), kit.Clip(right, n), half)...)
}

// findings draws the problems and what to do about them.
func (h *Screen) findings(w int) []string {
	if h.Plots.room.Link.Status == nil && h.Plots.room.Link.Lost == nil {
		return []string{h.Plots.room.Theme.Dim.Render(kit.Fit("  Asking the daemon…", w))}
	}

	var lines []string
	for _, f := range h.problems() {
		glyph, style := "! ", h.Plots.room.Theme.Warn
		if f.Bad {
			glyph, style = "✗ ", h.Plots.room.Theme.Bad
		}

		for i, line := range kit.Wrap(kit.SafeLine(f.Check+": "+f.Detail), w-4) {
			mark := "  "
			if i == 0 {
				mark = glyph
			}
			lines = append(lines, "  "+style.Render(mark+line))
		}

		if f.Action != "" {
			for _, line := range kit.Wrap("→ "+kit.SafeLine(f.Action), w-6) {
				lines = append(lines, "    "+line)
			}
		}
	}

	words := "enter examines tmux, the programs, the files and the database."
	switch {
	case h.busy:
		words = "Examining…"
	case !h.when.IsZero():
		words = "Examined at " + h.when.In(h.Plots.room.Now.Location()).Format("15:04") + "; enter repeats it."
	}

	if len(lines) == 0 {
		well := "  ✓ Daemon healthy."
		if n := h.Plots.room.Screens[room.AtNeeds].Badge().Count; n > 0 {
			well = fmt.Sprintf("  ✓ Daemon healthy. %d %s (4).", n, team.NeedWord(n))
		}
		lines = append(lines, h.Plots.room.Theme.Good.Render(kit.Fit(well, w)))
	}

	return append(lines, h.Plots.room.Theme.Dim.Render(kit.Fit("  "+words, w)))
}

// figures draws how deliveries go.
func (h *Screen) figures(w int) []string {
	s, m := h.Plots.room.Link.Status, &h.meter
	lines := []string{h.Plots.room.Theme.Rule("Deliveries", h.period(), w, false)}
	add := func(name, words string, curve []int) { lines = append(lines, h.Plots.figure(name, words, curve, w)) }
	curve := func(of func(*span) int) []int { return m.curve(h.Plots.room.Now, min(w, 120), of) }

	if !h.Plots.room.Link.Events {
		return append(lines, h.Plots.room.Theme.Dim.Render(kit.Fit("  Reading what was delivered…", w)), "")
	}
	minute := m.within(h.Plots.room.Now, time.Minute)
	add("proven", fmt.Sprintf("%.1f a second, %d in this minute", float64(minute)/60, minute),
		curve(func(s *span) int { return s.proven }))

	if times, of := m.percentiles(50, 95, 100); of > 0 {
		p50, p95, most := kit.Brief(times[0]), kit.Brief(times[1]), kit.Brief(times[2])
		add("took", fmt.Sprintf("p50 %s · p95 %s · max %s", p50, p95, most), nil)
		add("", fmt.Sprintf("from accepted to proven, of the newest %d", of),
			curve(func(s *span) int { return int(s.slowest.Milliseconds()) }))
	} else {
		add("took", "nothing typed yet", nil)
	}

	add("in queue", cmp.Or(pendingWords(s), "nothing"), m.depth)
	if t := kit.Tally(only(s.Deliveries, wrong)); t != "" {
		add("problems", t, nil)
	}

	return append(lines, "")
}

// pendingWords says what waits, in the words and numbers of the bar.
func pendingWords(s *parley.WorkspaceStatusResult) string {
	held := s.Deliveries[string(parley.DeliveryHeld)]
	var words []string
	if n := waitingIn(s) - held; n > 0 {
		words = append(words, fmt.Sprintf("%d pending", n))
	}
	if held > 0 {
		words = append(words, fmt.Sprintf("%d held", held))
	}
	return strings.Join(words, " · ")
}

// period says what time the figures cover.
func (h *Screen) period() string {
	if h.meter.began.IsZero() {
		return ""
	}
	return "of the last " + kit.Since(h.meter.began, h.Plots.room.Now)
}

const (
	queueBar  = 20 // columns of the longest queue
	maxQueues = 20 // queues that are shown
)

// queues draws the agents whose messages wait, the longest queue first, and why.
func (h *Screen) queues(w int) []string {
	var waiting []*parley.AgentStatus
	most := 1
	for i := range h.Plots.room.Team.List {
		if a := &h.Plots.room.Team.List[i]; a.Queued > 0 {
			waiting, most = append(waiting, a), max(most, a.Queued)
		}
	}

	slices.SortStableFunc(waiting, func(a, b *parley.AgentStatus) int { return b.Queued - a.Queued })
	lines := []string{h.Plots.room.Theme.Rule("Queues", "", w, false)}
	if len(waiting) == 0 {
		lines = append(lines, h.Plots.room.Theme.Dim.Render(kit.Fit("  nothing is queued", w)))
	}

	longest := min(queueBar, w/5, most)
	name := figureColumn - 1
	for _, a := range waiting[:min(len(waiting), maxQueues)] {
		name = kit.Clamp(kit.Width(a.Name), name, max(name, min(w/3, matrixName)))
	}
	for i, a := range waiting {
		if i == maxQueues {
			lines = append(lines, h.Plots.room.Theme.Dim.Render(kit.Fit("  and "+kit.Plural(len(waiting)-i,
				"shorter one"), w)))
			break
		}

		full := max(1, a.Queued*longest/most)
		bar := h.Plots.room.Theme.Busy.Render(strings.Repeat("█", full))
		line := "  " + kit.PadName(a.Name, name) + " " + bar + fmt.Sprintf(" %d · ", a.Queued)

		why := cmp.Or(team.WaitsWords(a), string(a.State))
		lines = append(lines, line+h.Plots.room.Theme.Dim.Render(kit.Fit(why, w-kit.Width(line))))
	}

	return append(lines, "")
}

// daemon draws what runs where.
func (h *Screen) daemon(w int) []string {
	s := h.Plots.room.Link.Status
	lines := []string{h.Plots.room.Theme.Rule("Daemon", "", w, false)}
	add := func(name, value string) {
		if value == "" {
			return
		}

		for i, line := range kit.Wrap(kit.SafeLine(value), w-figureColumn-2) {
			label := ""
			if i == 0 {
				label = name
			}
			lines = append(lines, "  "+h.Plots.room.Theme.Dim.Render(kit.Pad(label, figureColumn))+line)
		}
	}

	add("daemon", fmt.Sprintf("%s, process %d, up %s", s.Version, s.PID, kit.Since(s.StartedAt, h.Plots.room.Now)))
	add("agents", kit.Tally(s.Agents))
	add("workspace", s.Workspace)
	size := ""
	if h.database > 0 {
		size = bytesWords(h.database) + " · "
	}

	add("database", size+s.Database)
	add("events", fmt.Sprint(s.LastEvent))
	add("socket", s.Socket)
	add("http", s.HTTP)
	add("tmux", strings.TrimSpace(s.TmuxVersion+" "+s.TmuxSocket))
	add("log", s.Log)

	return append(lines, h.wells(w)...)
}

// wells draws what an examination found well.
func (h *Screen) wells(w int) []string {
	var lines []string
	for _, f := range h.found {
		if f.Well {
			words := kit.Pad(kit.SafeLine(f.Check), figureColumn-2) + kit.SafeLine(f.Detail)
			lines = append(lines, h.Plots.room.Theme.Good.Render("  ✓ ")+kit.Fit(words, w-4))
		}
	}

	if len(lines) == 0 {
		return nil
	}

	return append([]string{"", h.Plots.room.Theme.Rule("Passed", "", w, false)}, lines...)
}

// bytesWords formats a size.
func bytesWords(n int64) string {
	switch {
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", max(1, n/1000))
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

func (h *Screen) Point(p kit.Pointer) tea.Cmd {
	h.Top += p.Wheel
	return nil
}

// plots draw figures with their curves.
type plots struct {
	room  *room.Shared
	Still bool // no curves
}

const figureColumn = 12

// figure draws a name, its value, and its curve if there is room.
func (p plots) figure(name, words string, curve []int, w int) string {
	line := "  " + p.room.Theme.Dim.Render(kit.Pad(name, figureColumn)) + kit.Fit(words, w-figureColumn-2)
	if p.Still || len(curve) == 0 || w < 40 {
		return line
	}
	line = kit.Pad(line, max(kit.Width(line), min(w*55/100, figureColumn+38)))
	room := w - kit.Width(line) - 1
	if room < 8 {
		return line
	}
	curve = curve[max(0, len(curve)-room):]
	gap := strings.Repeat(" ", 1+room-len(curve)) // the newest stands at the right
	return line + gap + p.room.Theme.Busy.Render(kit.Sparks(curve))
}

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

func (h *health) settle(w, rows int) {
	h.height, h.drawn = rows-1, h.lines(w)
	h.pane.settle(len(h.drawn))
}

func (h *health) view(w, _ int) []string {
	return h.pane.view(h.theme.rule("Health", h.note(len(h.drawn)), w, true), h.drawn)
}

func (h *health) lines(w int) []string {
	lines := append(h.findings(w), "")
	if h.link.status == nil {
		return lines
	}

	if h.tier < wide {
		lines = append(append(lines, h.figures(w)...), h.matrix(w)...)
		lines = append(append(lines, h.queues(w)...), h.models(w)...)
		return append(lines, h.daemon(w)...)
	}

	half := (w - 3) / 2
	left, right := append(append(h.figures(half), h.queues(half)...), h.models(half)...), append(h.matrix(w-3-half), h.daemon(w-3-half)...)
	n := max(len(left), len(right))

	return append(lines, beside(h.theme, clip(left, n), clip(right, n), half)...)
}

// findings draws the problems and what to do about them.
func (h *health) findings(w int) []string {
	if h.link.status == nil && h.link.lost == nil {
		return []string{h.theme.dim.Render(fit("  Asking the daemon…", w))}
	}

	var lines []string
	for _, f := range h.problems() {
		glyph, style := "! ", h.theme.warn
		if f.Bad {
			glyph, style = "✗ ", h.theme.bad
		}

		for i, line := range wrap(safeLine(f.Check+": "+f.Detail), w-4) {
			mark := "  "
			if i == 0 {
				mark = glyph
			}
			lines = append(lines, "  "+style.Render(mark+line))
		}

		if f.Action != "" {
			for _, line := range wrap("→ "+safeLine(f.Action), w-6) {
				lines = append(lines, "    "+line)
			}
		}
	}

	words := "enter examines tmux, the programs, the files and the database."
	switch {
	case h.busy:
		words = "Examining…"
	case !h.when.IsZero():
		words = "Examined at " + h.when.In(h.now.Location()).Format("15:04") + "; enter repeats it."
	}

	if len(lines) == 0 {
		well := "  ✓ Daemon healthy."
		if n := h.screens[atNeeds].badge().count; n > 0 {
			well = fmt.Sprintf("  ✓ Daemon healthy. %d %s (4).", n, needWord(n))
		}
		lines = append(lines, h.theme.good.Render(fit(well, w)))
	}

	return append(lines, h.theme.dim.Render(fit("  "+words, w)))
}

const figureColumn = 12

// figure draws a name, its value, and its curve if there is room.
func (h *health) figure(name, words string, curve []int, w int) string {
	line := "  " + h.theme.dim.Render(pad(name, figureColumn)) + fit(words, w-figureColumn-2)
	if h.still || len(curve) == 0 || w < 40 {
		return line
	}
	line = pad(line, max(width(line), min(w*55/100, figureColumn+38)))
	room := w - width(line) - 1
	if room < 8 {
		return line
	}
	return line + " " + h.theme.busy.Render(sparks(curve[max(0, len(curve)-room):]))
}

// figures draws how deliveries go.
func (h *health) figures(w int) []string {
	s, m := h.link.status, &h.meter
	lines := []string{h.theme.rule("Deliveries", h.period(), w, false)}
	add := func(name, words string, curve []int) { lines = append(lines, h.figure(name, words, curve, w)) }
	curve := func(of func(*span) int) []int { return m.curve(h.now, min(w, 120), of) }

	minute := m.within(h.now, time.Minute)
	add("proven", fmt.Sprintf("%.1f a second, %d in this minute", float64(minute)/60, minute),
		curve(func(s *span) int { return s.proven }))

	if times, of := m.percentiles(50, 95, 100); of > 0 {
		add("took", fmt.Sprintf("p50 %s · p95 %s · max %s", brief(times[0]), brief(times[1]), brief(times[2])), nil)
		add("", fmt.Sprintf("from accepted to proven, of the newest %d", of),
			curve(func(s *span) int { return int(s.slowest.Milliseconds()) }))
	} else {
		add("took", "nothing typed yet", nil)
	}

	add("waiting", cmp.Or(pendingWords(s), "nothing"), m.depth)
	if t := tally(only(s.Deliveries, wrong)); t != "" {
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
func (h *health) period() string {
	if h.meter.began.IsZero() {
		return ""
	}
	return "of the last " + since(h.meter.began, h.now)
}

const (
	queueBar  = 20 // columns of the longest queue
	maxQueues = 20 // queues that are shown
)

// queues draws the agents whose messages wait, the longest queue first, and why.
func (h *health) queues(w int) []string {
	var waiting []*parley.AgentStatus
	most := 1
	for i := range h.team.list {
		if a := &h.team.list[i]; a.Queued > 0 {
			waiting, most = append(waiting, a), max(most, a.Queued)
		}
	}

	slices.SortStableFunc(waiting, func(a, b *parley.AgentStatus) int { return b.Queued - a.Queued })
	lines := []string{h.theme.rule("Queues", "", w, false)}
	if len(waiting) == 0 {
		lines = append(lines, h.theme.dim.Render(fit("  nothing is waiting", w)))
	}

	longest := min(queueBar, w/5, most)
	for i, a := range waiting {
		if i == maxQueues {
			lines = append(lines, h.theme.dim.Render(fit("  and "+plural(len(waiting)-i, "shorter one"), w)))
			break
		}

		full := max(1, a.Queued*longest/most)
		bar := h.theme.busy.Render(strings.Repeat("█", full))
		line := "  " + pad(a.Name, figureColumn) + bar + fmt.Sprintf(" %d ", a.Queued)

		why := cmp.Or(waitsWords(a), string(a.State))
		lines = append(lines, line+h.theme.dim.Render(fit(why, w-width(line))))
	}

	return append(lines, "")
}

// daemon draws what runs where.
func (h *health) daemon(w int) []string {
	s := h.link.status
	lines := []string{h.theme.rule("Daemon", "", w, false)}
	add := func(name, value string) {
		if value == "" {
			return
		}

		for i, line := range wrap(safeLine(value), w-figureColumn-2) {
			label := ""
			if i == 0 {
				label = name
			}
			lines = append(lines, "  "+h.theme.dim.Render(pad(label, figureColumn))+line)
		}
	}

	add("daemon", fmt.Sprintf("%s, process %d, up %s", s.Version, s.PID, since(s.StartedAt, h.now)))
	add("agents", tally(s.Agents))
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
func (h *health) wells(w int) []string {
	var lines []string
	for _, f := range h.found {
		if f.Well {
			words := pad(safeLine(f.Check), figureColumn-2) + safeLine(f.Detail)
			lines = append(lines, h.theme.good.Render("  ✓ ")+fit(words, w-4))
		}
	}

	if len(lines) == 0 {
		return nil
	}

	return append([]string{"", h.theme.rule("Passed", "", w, false)}, lines...)
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

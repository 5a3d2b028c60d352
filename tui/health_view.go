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
	h.top = clamp(h.top, 0, max(0, len(h.drawn)-h.height))
}

func (h *health) view(w, rows int) []string {
	lines, note := h.drawn, ""
	if more := len(lines) - h.top - h.height; more > 0 {
		note = plural(more, "more line")
	}
	return clip(append([]string{h.theme.rule("Health", note, w, true)}, lines[clamp(h.top, 0, len(lines)):]...), rows)
}

func (h *health) lines(w int) []string {
	lines := append(h.findings(w), "")
	if h.link.status == nil {
		return lines
	}

	if h.tier < wide {
		lines = append(lines, h.figures(w)...)
		lines = append(append(lines, h.queues(w)...), h.models(w)...)
		return append(lines, h.daemon(w)...)
	}

	half := (w - 3) / 2
	left, right := append(append(h.figures(half), h.queues(half)...), h.models(half)...), h.daemon(w-3-half)
	n := max(len(left), len(right))

	return append(lines, beside(h.theme, clip(left, n), clip(right, n), half)...)
}

// findings say what is amiss and what to do about it.
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
			mark := map[bool]string{true: glyph, false: "  "}[i == 0]
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
		words = "Examined at " + h.when.In(h.now.Location()).Format("15:04") + "; enter does it again."
	}

	if len(lines) == 0 {
		lines = append(lines, h.theme.good.Render(fit("  ✓ Nothing is amiss.", w)))
	}

	return append(lines, h.theme.dim.Render(fit("  "+words, w)))
}

const figureColumn = 12

// figure is a line of a name, what is said of it, and its curve if there is room.
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

// figures are how deliveries go.
func (h *health) figures(w int) []string {
	s, m := h.link.status, &h.meter
	columns := min(w, 120)
	lines := []string{h.theme.rule("Deliveries", h.period(), w, false)}
	minute := m.within(h.now, time.Minute)
	lines = append(
		lines,
		h.figure("proven", fmt.Sprintf("%.1f a second, %d in this minute", float64(minute)/60, minute),
			m.curve(h.now, columns, func(s *span) int { return s.proven }), w),
	)

	if times, of := m.percentiles(50, 95, 99, 100); of > 0 {
		lines = append(
			lines,
			h.figure(
				"took",
				fmt.Sprintf(
					"half %s · 95%% %s · 99%% %s · most %s",
					brief(times[0]),
					brief(times[1]),
					brief(times[2]),
					brief(times[3]),
				),
				nil,
				w,
			),
		)

		lines = append(lines, h.figure("", fmt.Sprintf("from accepted to proven, of the newest %d", of),
			m.curve(h.now, columns, func(s *span) int { return int(s.slowest.Milliseconds()) }), w))
	} else {
		lines = append(lines, h.figure("took", "nothing was typed yet", nil, w))
	}

	wait := waitingIn(s)
	lines = append(
		lines,
		h.figure(
			"waiting",
			cmp.Or(
				tally(only(s.Deliveries, parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping)),
				fmt.Sprint(wait),
			),
			m.depth,
			w,
		),
	)

	if t := tally(only(s.Deliveries, parley.DeliveryFailed, parley.DeliveryUnconfirmed, parley.DeliveryExpired)); t != "" {
		lines = append(lines, h.figure("in vain", t, nil, w))
	}

	return append(lines, "")
}

// period is what the figures are of.
func (h *health) period() string {
	if h.meter.began.IsZero() {
		return ""
	}
	return "of the last " + since(h.meter.began, h.now)
}

func only(in map[string]int, states ...parley.DeliveryState) map[string]int {
	some := map[string]int{}
	for _, s := range states {
		some[string(s)] = in[string(s)]
	}
	return some
}

const (
	queueBar  = 20 // columns of the longest queue
	maxQueues = 20 // queues that are shown: who has more of them knows by then
)

// queues are who has to wait, the longest first, and why.
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
		lines = append(lines, h.theme.dim.Render(fit("  nothing waits", w)))
	}

	bar := min(queueBar, w/5, most)
	for i, a := range waiting {
		if i == maxQueues {
			lines = append(lines, h.theme.dim.Render(fit("  and "+plural(len(waiting)-i, "shorter one"), w)))
			break
		}

		full := max(1, a.Queued*bar/most)
		line := "  " + pad(
			a.Name,
			figureColumn,
		) + h.theme.busy.Render(
			strings.Repeat("█", full),
		) + fmt.Sprintf(
			" %d ",
			a.Queued,
		)

		why := string(a.State)
		if a.HeldReason != "" {
			why = "held: " + a.HeldReason
		}

		lines = append(lines, line+h.theme.dim.Render(fit(why, w-width(line))))
	}

	return append(lines, "")
}

// daemon is what runs where.
func (h *health) daemon(w int) []string {
	s := h.link.status
	lines := []string{h.theme.rule("Daemon", "", w, false)}
	add := func(name, value string) {
		if value == "" {
			return
		}

		for i, line := range wrap(safeLine(value), w-figureColumn-2) {
			label := map[bool]string{true: name, false: ""}[i == 0]
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

// wells are what an examination found well.
func (h *health) wells(w int) []string {
	var lines []string
	for _, f := range h.found {
		if f.Well {
			lines = append(
				lines,
				h.theme.good.Render("  ✓ ")+fit(pad(safeLine(f.Check), figureColumn-2)+safeLine(f.Detail), w-4),
			)
		}
	}

	if len(lines) == 0 {
		return nil
	}

	return append([]string{"", h.theme.rule("Well", "", w, false)}, lines...)
}

// bytesWords is a size as one says it.
func bytesWords(n int64) string {
	switch {
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", max(1, n/1000))
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ours is the way that is compared with the others.
const ours = "parley"

const preface = `# Benchmarks

` + "`make bench`" + ` writes this page, in one run on one machine. Read the ratios: they compare ways to do the same work,
measured next to each other, and hold on other machines better than the numbers do. For a time, less is better; for a
number per second, more is.

| way | how it types |
| --- | --- |
| parley | the whole program: stored, guarded, and proven |
| recipe, guarded | parley's guarded tmux commands alone; AcceptedToEntered adds two commits to the database |
| recipe-first | the guarded commands of parley's first version, with the text in a file. They stay as they are, for goals in their terms |
| bare | unguarded commands over one control connection |
| forked | one tmux process per message; in Sustained, one per command, and forked-once has one per message |
| small | in Screen: the screen with a thousand messages, where parley has a million; both with 200 agents |
| quiet | in Screen: the same while nothing happens, where parley gets 2,000 events a second |
`

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(preface)
	if len(r.machine) > 0 {
		b.WriteString("\n" + strings.Join(r.machine, " · ") + "\n")
	}
	for _, g := range r.groups {
		fmt.Fprintf(&b, "\n## %s\n\n", g.name)
		g.table(&b)
	}
	return b.String()
}

func (g *group) table(b *strings.Builder) {
	g.row(b, "way", title)
	g.row(b, "---", func(string) string { return "---:" })
	var parley *way
	for _, w := range g.ways {
		g.row(b, w.label(), func(unit string) string { return pretty(w.value(unit), unit) })
		if w.name == ours {
			parley = w
		}
	}

	for _, w := range g.ways {
		if parley != nil && w != parley {
			g.row(b, "**"+ours+" ÷ "+w.label()+"**", func(unit string) string {
				return known(parley.value(unit)/w.value(unit), "**%s×**")
			})
		}
	}
}

func (g *group) row(b *strings.Builder, label string, cell func(unit string) string) {
	b.WriteString("| " + label)
	for _, unit := range g.units {
		b.WriteString(" | " + cell(unit))
	}
	b.WriteString(" |\n")
}

func (w *way) label() string { return cmp.Or(w.name, "measured") }

// isTime reports whether a unit counts nanoseconds: ns/op, p50-ns, p50-ns/msg.
func isTime(unit string) bool {
	unit, _, _ = strings.Cut(unit, "/")
	return unit == "ns" || strings.HasSuffix(unit, "-ns")
}

// title returns the heading of a column. The cells of times have their own units.
func title(unit string) string {
	if !isTime(unit) {
		return unit
	}
	count, per, found := strings.Cut(unit, "/")
	text := strings.TrimSuffix(strings.TrimSuffix(count, "ns"), "-") + " time"
	if found {
		text += " per " + per
	}
	return strings.TrimSpace(text)
}

func pretty(v float64, unit string) string {
	switch {
	case !isTime(unit):
		return known(v, "%s")
	case v >= 1e9:
		return known(v/1e9, "%s s")
	case v >= 1e6:
		return known(v/1e6, "%s ms")
	case v >= 1e3:
		return known(v/1e3, "%s µs")
	}
	return known(v, "%s ns")
}

// known formats a number, or says that there is none.
func known(v float64, format string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf(format, digits(v))
}

// digits formats a number with three significant digits, and those above 100 as a whole
// number.
func digits(v float64) string {
	if v >= 100 || v <= -100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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
| bare | unguarded commands over one control connection |
| forked | one tmux process per message; in Sustained, one per command, and forked-once has one per message |
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
	units := g.units()
	header := []string{"way"}
	for _, unit := range units {
		header = append(header, title(unit))
	}

	row(b, header)
	row(b, append([]string{"---"}, slices.Repeat([]string{"---:"}, len(units))...))
	parley := -1
	for i, w := range g.ways {
		if w.name == ours {
			parley = i
		}

		cells := []string{w.label()}
		for _, unit := range units {
			v, found := w.value(unit)
			cells = append(cells, cell(found, pretty(v, unit)))
		}

		row(b, cells)
	}

	if parley < 0 {
		return
	}

	for _, w := range g.ways {
		if w.name != ours {
			ratios(b, g.ways[parley], w, units)
		}
	}
}

func (g *group) units() []string {
	var units []string
	for _, w := range g.ways {
		for _, unit := range w.units {
			if !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	return units
}

func (w *way) label() string {
	if w.name == "" {
		return "measured"
	}
	return w.name
}

func ratios(b *strings.Builder, parley, baseline *way, units []string) {
	cells := []string{"**" + ours + " ÷ " + baseline.label() + "**"}
	for _, unit := range units {
		p, havePart := parley.value(unit)
		q, haveWhole := baseline.value(unit)
		cells = append(cells, cell(havePart && haveWhole && q != 0, fmt.Sprintf("**%s×**", digits(p/q))))
	}
	row(b, cells)
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func cell(found bool, text string) string {
	if !found {
		return "–"
	}
	return text
}

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
	if !isTime(unit) {
		return digits(v)
	}
	switch {
	case v >= float64(time.Second):
		return digits(v/1e9) + " s"
	case v >= float64(time.Millisecond):
		return digits(v/1e6) + " ms"
	case v >= float64(time.Microsecond):
		return digits(v/1e3) + " µs"
	}
	return digits(v) + " ns"
}

// digits formats a number with three significant digits, and those above 100 as a whole
// number.
func digits(v float64) string {
	if v >= 100 || v <= -100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A report has the results of one run of the benchmarks.
type report struct {
	machine []string // "cpu: ...", in the order printed
	groups  []*group
}

// A group is one piece of work, done in one or more ways.
type group struct {
	name  string
	units []string // in the order printed
	ways  []*way
}

type way struct {
	name    string               // "" if the benchmark names no way
	samples map[string][]float64 // by unit
}

// config matches a line such as "goos: linux".
var config = regexp.MustCompile(`^(date|go|tmux|goos|goarch|cpu): `)

// parse reads a run. It fails if the run failed or measured nothing, so that such a run
// replaces no good page.
func parse(in io.Reader) (*report, error) {
	r := &report{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "FAIL", strings.HasPrefix(line, "FAIL\t"), strings.HasPrefix(line, "--- FAIL"):
			return nil, fmt.Errorf("the run failed: %s", line)
		case strings.HasPrefix(line, "Benchmark"):
			if err := r.measure(strings.Fields(line)); err != nil {
				return nil, fmt.Errorf("read %q: %w", line, err)
			}
		case config.MatchString(line) && !slices.Contains(r.machine, line):
			r.machine = append(r.machine, line)
		}
	}

	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(r.groups) == 0 {
		return nil, errors.New("the run measured nothing")
	}

	return r, nil
}

// measure adds one line: a name, a number of iterations, then values and units. A name
// alone announces a benchmark, and is ignored.
func (r *report) measure(fields []string) error {
	if len(fields) == 1 {
		return nil
	}
	if len(fields) < 4 || len(fields)%2 != 0 {
		return errors.New("want a name, a count, and pairs of value and unit")
	}

	g, w := r.find(fields[0])
	for i := 2; i < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return err
		}

		unit := fields[i+1]
		if !slices.Contains(g.units, unit) {
			g.units = append(g.units, unit)
		}

		w.samples[unit] = append(w.samples[unit], value)
	}

	return nil
}

// processors matches the -N that the testing package appends to a name.
var processors = regexp.MustCompile(`-\d+$`)

// find returns the group and the way of a benchmark such as
// BenchmarkBroadcast/panes=50/way=parley-2, and adds them if they are new.
func (r *report) find(benchmark string) (*group, *way) {
	benchmark = processors.ReplaceAllString(strings.TrimPrefix(benchmark, "Benchmark"), "")
	var kept []string
	name := ""
	for element := range strings.SplitSeq(benchmark, "/") {
		if value, found := strings.CutPrefix(element, "way="); found {
			name = value
		} else {
			kept = append(kept, strings.ReplaceAll(element, "=", " "))
		}
	}

	work := strings.Join(kept, ", ")
	i := slices.IndexFunc(r.groups, func(g *group) bool { return g.name == work })
	if i < 0 {
		i, r.groups = len(r.groups), append(r.groups, &group{name: work})
	}

	g := r.groups[i]
	if i = slices.IndexFunc(g.ways, func(w *way) bool { return w.name == name }); i < 0 {
		i, g.ways = len(g.ways), append(g.ways, &way{name: name, samples: map[string][]float64{}})
	}

	return g, g.ways[i]
}

// value returns the median of the samples, so that -count may be used, and NaN without any.
func (w *way) value(unit string) float64 {
	s := slices.Sorted(slices.Values(w.samples[unit]))
	if len(s) == 0 {
		return math.NaN()
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

package agents

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/must"
)

// results are the tables of docs/measured/agents.md.
type results struct {
	programs []installed
	sizes    []string
	seed     uint64

	mu      sync.Mutex
	passed  map[string][]string // sizes, by program and check
	failed  map[string][]string
	figures map[string]figures
	begun   map[string]bool // deliveries to these programs; without figures they failed
}

func newResults(programs []installed, sizes []string) *results {
	return &results{
		programs: programs,
		sizes:    sizes,
		passed:   map[string][]string{},
		failed:   map[string][]string{},
		figures:  map[string]figures{},
		begun:    map[string]bool{},
	}
}

func (r *results) note(program installed, check, size string, passed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	where := r.failed
	if passed {
		where = r.passed
	}
	where[program.String()+check] = append(where[program.String()+check], size)
}

func (r *results) begin(program installed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[program.String()] = true
}

func (r *results) deliver(program installed, f figures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures[program.String()] = f
}

// marks returns the marks in the page between which results stand: all of them, or those of some programs.
func marks(only string) (begin, end string) {
	name := "results"
	if only != "" {
		name += " of " + only
	}
	return "<!-- " + name + " -->\n", "<!-- /" + name + " -->\n"
}

// write puts the results between the marks of a page.
func (r *results) write(t *testing.T, page string) {
	t.Helper()
	version := must.Have(exec.Command("tmux", "-V").Output())(t)

	about := fmt.Sprintf("%s, %s/%s, %s.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, strings.TrimSpace(string(version)))
	begin, end := marks(os.Getenv(agentsOnly))
	putBetween(t, page, begin, end, about+r.markdown())
}

// putBetween puts a text between two marks of a page.
func putBetween(t *testing.T, page, begin, end, text string) {
	t.Helper()
	b := must.Have(os.ReadFile(page))(t)
	before, rest, found := strings.Cut(string(b), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no %s and %s", page, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	must.Do(t, os.WriteFile(page, []byte(before+begin+text+end+after), 0o644))
}

func (r *results) markdown() string {
	if len(r.passed)+len(r.failed) == 0 {
		return r.figuresTable()
	}

	var b strings.Builder
	r.table(&b, "checked at "+strings.Join(r.sizes, " and "), checkNames(), func(p installed, check string) string {
		passed, failed := r.passed[p.String()+check], r.failed[p.String()+check]
		switch {
		case len(failed) > 0:
			slices.Sort(failed)
			return "**no** at " + strings.Join(failed, ", ")
		case len(passed) > 0:
			return "yes"
		}

		if i := slices.Index(checkNames(), check); checks[i].need != nil && !checks[i].need(p.realProgram) {
			return "does not apply"
		}
		return "not tried"
	})

	return b.String() + r.figuresTable()
}

// figuresTable is what came of the deliveries at random, "" if there were none.
func (r *results) figuresTable() string {
	if len(r.begun) == 0 {
		return ""
	}

	var b strings.Builder
	b.WriteString("\nDeliveries at random, to the program idle, working, asking, with a draft, scrolled, ")
	fmt.Fprintf(&b, "and over a crash of the daemon (seed %d):\n", r.seed)
	r.table(&b, "", rowNames(), func(p installed, row string) string {
		f, done := r.figures[p.String()]
		switch {
		case !done && r.begun[p.String()]:
			return "**failed**"
		case !done:
			return "not tried"
		}
		return rows[slices.Index(rowNames(), row)].value(f)
	})
	return b.String()
}

func (r *results) table(b *strings.Builder, corner string, names []string, cell func(p installed, row string) string) {
	fmt.Fprintf(b, "\n| %s |", corner)
	for _, p := range r.programs {
		fmt.Fprintf(b, " %s |", p)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(r.programs)))
	for _, name := range names {
		fmt.Fprintf(b, "| %s |", name)
		for _, p := range r.programs {
			fmt.Fprintf(b, " %s |", cell(p, name))
		}
		b.WriteString("\n")
	}
}

func checkNames() (names []string) {
	for _, check := range checks {
		names = append(names, check.name)
	}
	return names
}

var rows = []struct {
	name  string
	value func(figures) string
}{
	{"deliveries", func(f figures) string { return fmt.Sprint(f.deliveries) }},
	{"lost", func(f figures) string { return fmt.Sprint(f.lost) }},
	{"twice", func(f figures) string { return fmt.Sprint(f.twice) }},
	{"mangled", func(f figures) string { return fmt.Sprint(f.mangled) }},
	{"dialogs answered", func(f figures) string { return fmt.Sprint(f.answered) }},
	{"drafts touched", func(f figures) string { return fmt.Sprint(f.touched) }},
	{"wrong verdicts", func(f figures) string { return fmt.Sprint(f.wrong) }},
	{
		"unconfirmed; of these never came",
		func(f figures) string { return fmt.Sprintf("%d; %d", f.unconfirmed, f.absent) },
	},
	{"accepted → submitted, at rest: p50 / p95", func(f figures) string { return spread(f.submitted) }},
	{"accepted → turn started, at rest: p50 / p95", func(f figures) string { return spread(f.started) }},
}

func rowNames() (names []string) {
	for _, row := range rows {
		names = append(names, row.name)
	}
	return names
}

// spread formats the median and the 95th percentile of times.
func spread(times []time.Duration) string {
	if len(times) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(times))
	at := func(percent int) string {
		return sorted[(len(sorted)-1)*percent/100].Round(10 * time.Millisecond).String()
	}
	return fmt.Sprintf("%s / %s (%d)", at(50), at(95), len(sorted))
}

func TestResultsStandBetweenTheMarks(t *testing.T) {
	page := t.TempDir() + "/page.md"
	t.Setenv(agentsOnly, "pi,kilo")
	resultsBegin, resultsEnd := marks("pi,kilo")
	whole, _ := marks("")
	old := whole + "those of all\nbefore\n" + resultsBegin + "those before\n" + resultsEnd + "after\n"
	must.Do(t, os.WriteFile(page, []byte(old), 0o600))

	one, two := installed{realPrograms[0], "1.0", ""}, installed{realPrograms[0], "2.0", ""}
	r := newResults([]installed{one, two}, []string{"120x40", "80x24"})
	r.note(one, checks[0].name, "120x40", true)
	r.note(two, checks[0].name, "120x40", true)
	r.note(two, checks[0].name, "80x24", false)
	r.begin(two)
	r.deliver(two, figures{
		deliveries: 3, lost: 1, unconfirmed: 2, absent: 1,
		submitted: []time.Duration{time.Second, 2 * time.Second, 3 * time.Second},
	})

	r.write(t, page)
	b := must.Have(os.ReadFile(page))(t)

	got := string(b)
	for _, want := range []string{
		whole + "those of all\nbefore\n" + resultsBegin, resultsEnd + "after\n",
		"| checked at 120x40 and 80x24 | claude 1.0", "| claude 1.0 | claude 2.0 |\n|---|---|---|\n",
		"| " + checks[0].name + " | yes | **no** at 80x24 |\n", "| " + checks[1].name + " | not tried | not tried |\n",
		"| lost | not tried | 1 |\n", "| not tried | 2; 1 |\n", "| not tried | 2s / 2s (3) |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}

	if strings.Contains(got, "those before") {
		t.Errorf("the old results stand in\n%s", got)
	}
}

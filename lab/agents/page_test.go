package agents

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	checked "parley/orchestrator/trial"
	"parley/program/profile"
)

var update = flag.Bool("update", false, "draw docs/measured/agents.md again")

// thePage is drawn from what is kept of the runs.
const thePage = "../../docs/measured/agents.md"

// The tables of the page are those of the records that are kept.
func TestPageHasTheResults(t *testing.T) {
	if *update {
		must.Do(t, draw(thePage))
		return
	}
	text := string(must.Have(os.ReadFile(thePage))(t))
	want := must.Have(drawn(text, must.Have(readRecords())(t)))(t)
	if text != want {
		t.Error("docs/measured/agents.md is not what the records say; run: go -C lab test ./agents -run TestPageHasTheResults -update")
	}
}

// draw draws the tables of a page again.
func draw(page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	records, err := readRecords()
	if err != nil {
		return err
	}
	now, err := drawn(string(text), records)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(now), 0o644)
}

// drawn returns a page with its tables drawn from records.
func drawn(page string, records []record) (string, error) {
	inside := slices.Clone(records)
	inside = slices.DeleteFunc(inside, func(r record) bool { return !r.Sandbox })
	records = slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.Sandbox })
	all, err := inOrder(records)
	if err != nil {
		return "", err
	}
	sandboxes, err := inOrder(inside)
	if err != nil {
		return "", err
	}
	for name, table := range map[string]string{
		"guarantees": guaranteesTable(all), "scenes": scenesTable(all),
		"deliveries": deliveriesTable(all, (*record).typed), "waits": waitsTable(all),
		"sandboxes": deliveriesTable(sandboxes, (*record).typed),
		"doors":     deliveriesTable(all, (*record).entered), "door waits": doorWaitsTable(all),
		"hooks": hooksTable(all),
	} {
		if page, err = between(page, "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n", table); err != nil {
			return "", err
		}
	}
	return page, nil
}

// between returns a page with a text between two marks.
func between(page, begin, end, text string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("the page has no %s and %s", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + text + end + after, nil
}

// tried is what is known of a version of a program.
type tried struct {
	realProgram
	version string
	records []record
}

func (p *tried) String() string { return p.profile + " " + p.version }

// dates returns on which days the records that count were made.
func (p *tried) dates(counts func(*record) bool) string {
	var days []string
	for i := range p.records {
		if counts(&p.records[i]) {
			days = append(days, p.records[i].Date)
		}
	}
	if len(days) == 0 {
		return ""
	}
	if first, last := slices.Min(days), slices.Max(days); first != last {
		return first + " to " + last
	}
	return days[0]
}

// inOrder groups records by versions, in the order of build/agents.txt; other versions follow those of their program.
func inOrder(records []record) (all []tried, err error) {
	pins, err := pinned()
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		i := slices.IndexFunc(all, func(p tried) bool { return p.profile == r.Program && p.version == r.Version })
		if i < 0 {
			i = len(all)
			all = append(all, tried{known(r.Program), r.Version, nil})
		}
		all[i].records = append(all[i].records, r)
	}

	place := func(p tried) (program, version int) {
		program = slices.IndexFunc(pins, func(pin [2]string) bool { return pin[0] == p.profile })
		version = slices.Index(pins, [2]string{p.profile, p.version})
		if version < 0 {
			version = len(pins)
		}
		return program, version
	}
	slices.SortStableFunc(all, func(a, b tried) int {
		programA, versionA := place(a)
		programB, versionB := place(b)
		return cmp.Or(programA-programB, versionA-versionB)
	})
	return all, nil
}

// known returns the program with a profile.
func known(name string) realProgram {
	i := slices.IndexFunc(realPrograms, func(p realProgram) bool { return p.profile == name })
	if i < 0 {
		return realProgram{profile: name}
	}
	return realPrograms[i]
}

// guaranteesTable says what parley profiles check found, with a model.
func guaranteesTable(all []tried) string {
	var b strings.Builder
	b.WriteString(row("program", "tried", "at", "holds", "does not hold", "not tried") + "|---|---|---|---|---|---|\n")
	for _, p := range all {
		for _, r := range slices.Backward(p.records) {
			if r.Guarantees == nil {
				continue
			}
			of := map[checked.Verdict][]string{}
			for _, g := range slices.Concat(checked.WithoutModel(), checked.WithModel()) {
				of[r.Guarantees[g]] = append(of[r.Guarantees[g]], g.Words())
			}
			b.WriteString(row(p.String(), r.Date, r.Size, strings.Join(of[checked.Holds], ", "),
				strings.Join(of[checked.Fails], ", "), strings.Join(of[checked.NotTried], ", ")))
			break
		}
	}
	return b.String()
}

// scenesTable numbers the scenes, and says by these numbers how each program did.
func scenesTable(all []tried) string {
	var b strings.Builder
	for i, s := range slices.Concat(scenes, scenesAlone) {
		fmt.Fprintf(&b, "%d. %s\n", i+1, s.name)
	}
	b.WriteString("\n" + row("program", "tried", "at", "passed", "did not pass", "cannot be tried", "not tried") +
		"|---|---|---|---|---|---|---|\n")
	for _, p := range all {
		if on := p.dates(func(r *record) bool { return r.Scenes != nil }); on != "" {
			b.WriteString(p.scenesRow(on))
		}
	}
	return b.String()
}

func (p *tried) scenesRow(on string) string {
	passed := map[string]map[string]bool{} // by scene and size; what was found later counts
	var sizes []string
	for _, r := range p.records {
		for name, ok := range r.Scenes {
			if passed[name] == nil {
				passed[name] = map[string]bool{}
			}
			passed[name][r.Size] = ok
		}
		if r.Scenes != nil && !slices.Contains(sizes, r.Size) {
			sizes = append(sizes, r.Size)
		}
	}

	var good, untried []int
	var bad []string
	cannot := map[string][]int{}
	for i, s := range slices.Concat(scenes, scenesAlone) {
		var fails []string
		for _, size := range slices.Sorted(maps.Keys(passed[s.name])) {
			if !passed[s.name][size] {
				fails = append(fails, size)
			}
		}
		switch {
		case len(fails) > 0:
			bad = append(bad, fmt.Sprintf("**%d** at %s", i+1, strings.Join(fails, ", ")))
		case len(passed[s.name]) > 0:
			good = append(good, i+1)
		case p.lacks[s.need] != "":
			cannot[p.lacks[s.need]] = append(cannot[p.lacks[s.need]], i+1)
		default:
			untried = append(untried, i+1)
		}
	}

	var reasons []string
	for _, reason := range slices.SortedFunc(maps.Keys(cannot), func(a, b string) int { return cannot[a][0] - cannot[b][0] }) {
		reasons = append(reasons, ranges(cannot[reason])+": "+reason)
	}
	return row(p.String(), on, strings.Join(sizes, ", "), ranges(good), strings.Join(bad, ", "),
		strings.Join(reasons, "; "), ranges(untried))
}

// ranges writes ascending numbers, such as 1–3, 5.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := fmt.Sprint(numbers[i])
		if end > i {
			part += fmt.Sprintf("–%d", numbers[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ", ")
}

// deliveriesTable adds the deliveries at random up that went one way.
func deliveriesTable(all []tried, way func(*record) *figures) string {
	var b strings.Builder
	names := append([]string{"program", "tried"}, append(countNames(), "seeds")...)
	b.WriteString(row(names...) + "|" + strings.Repeat("---|", len(names)) + "\n")
	for _, p := range all {
		sum, seeds := p.sum(way)
		if sum.Deliveries == 0 {
			continue
		}
		cells := []string{p.String(), p.dates(func(r *record) bool { return way(r) != nil })}
		for _, c := range counts {
			cells = append(cells, c.value(sum))
		}
		b.WriteString(row(append(cells, seeds)...))
	}
	return b.String()
}

// typed returns the figures of deliveries that were typed, nil if there are none.
func (r *record) typed() *figures { return r.Deliveries }

// entered returns the figures of deliveries through the program's door, nil if there are none.
func (r *record) entered() *figures {
	if r.Door == nil {
		return nil
	}
	return &r.Door.figures
}

// sum returns the figures of all runs that went one way, and their seeds.
func (p *tried) sum(way func(*record) *figures) (sum figures, seeds string) {
	var all []string
	for i := range p.records {
		f := way(&p.records[i])
		if f == nil {
			continue
		}
		sum.add(*f)
		if seed := fmt.Sprint(p.records[i].Seed); !slices.Contains(all, seed) {
			all = append(all, seed)
		}
	}
	return sum, strings.Join(all, ", ")
}

// waitsTable says how long messages to a program at rest take, and what each part of that is for.
func waitsTable(all []tried) string {
	var b strings.Builder
	b.WriteString(row("program", "tried", "messages", "accepted → submitted", "accepted → turn started",
		"accepted → typed: it rests, and nobody types", "typed → submitted: the text stands there, Enter, it is taken",
		"of this, for the composer to be still", "typed → turn started") + "|---|---|---|---|---|---|---|---|---|\n")
	profiles, err := profile.Builtin()
	for _, p := range all {
		w, _ := p.sum((*record).typed)
		if len(w.Submitted) == 0 {
			continue
		}
		settle := "not known"
		if of, found := profiles.Find(p.profile); err == nil && found == nil {
			settle = of.Settle.String()
		}
		b.WriteString(row(p.String(), p.dates(func(r *record) bool { return r.Deliveries != nil && len(r.Deliveries.Submitted) > 0 }),
			fmt.Sprint(len(w.Submitted)), w.Submitted.String(), w.Started.String(), w.Begun.String(), w.Typed.String(), settle,
			w.Reached.String()))
	}
	return b.String()
}

// doorWaitsTable says how long messages take to the model, typed and through the program's door.
func doorWaitsTable(all []tried) string {
	var b strings.Builder
	b.WriteString(row("program", "tried", "messages", "at rest, typed", "at rest, through the door",
		"while a draft stands, through the door", "urgent, into a turn that runs") + "|---|---|---|---|---|---|---|\n")
	for _, p := range all {
		var sum doorFigures
		for _, r := range p.records {
			if r.Door != nil {
				sum.Started = append(sum.Started, r.Door.Started...)
				sum.Always, sum.Draft = append(sum.Always, r.Door.Always...), append(sum.Draft, r.Door.Draft...)
				sum.Urgent = append(sum.Urgent, r.Door.Urgent...)
			}
		}
		if len(sum.Always) == 0 {
			continue
		}
		b.WriteString(row(p.String(), p.dates(func(r *record) bool { return r.Door != nil && len(r.Door.Always) > 0 }),
			fmt.Sprintf("%d, %d, %d, %d", len(sum.Started), len(sum.Always), len(sum.Draft), len(sum.Urgent)),
			sum.Started.String(), sum.Always.String(), sum.Draft.String(), sum.Urgent.String()))
	}
	return b.String()
}

func TestRecordsMakeThePage(t *testing.T) {
	page := ""
	for _, name := range []string{"guarantees", "scenes", "deliveries", "waits", "sandboxes", "doors", "door waits", "hooks"} {
		page += "before " + name + "\n<!-- " + name + " -->\nold\n<!-- /" + name + " -->\n"
	}
	first, last := scenes[0].name, scenes[len(scenes)-1].name
	got := must.Have(drawn(page+"after\n", []record{
		{Program: "pi", Version: "1.0", Date: "2026-01-01", Size: "80x24", Scenes: map[string]bool{first: true, last: true}},
		{Program: "pi", Version: "1.0", Date: "2026-01-02", Size: "120x40", Scenes: map[string]bool{first: false}},
		{Program: "pi", Version: "1.0", Date: "2026-01-02", Size: "80x24", Scenes: map[string]bool{last: false}},
		{Program: "pi", Version: "1.0", Date: "2026-01-03", Size: "80x24", Scenes: map[string]bool{last: true}},
		{Program: "pi", Version: "1.0", Date: "2026-01-03", Guarantees: map[checked.Guarantee]checked.Verdict{
			checked.Rest: checked.Holds, checked.Queue: checked.NotTried, checked.Draft: checked.Fails,
		}},
		{Program: "pi", Version: "1.0", Date: "2026-01-04", Seed: 7, Deliveries: &figures{Deliveries: 20, Wrong: 1, Unconfirmed: 2, Absent: 1}},
		{Program: "pi", Version: "1.0", Date: "2026-01-05", Seed: 8, Deliveries: &figures{Deliveries: 5, waits: waits{
			Begun: millis{10e6, 20e6}, Typed: millis{300e6, 500e6}, Submitted: millis{310e6, 520e6},
		}}},
		{Program: "claude", Version: "9.0", Date: "2026-01-06", Seed: 9, Deliveries: &figures{Deliveries: 1}},
		{Program: "claude", Version: "9.0", Date: "2026-01-07", Seed: 9, Sandbox: true, Deliveries: &figures{Deliveries: 8}},
		{Program: "pi", Version: "1.0", Date: "2026-01-07", Seed: 6, Door: &doorFigures{figures: figures{Deliveries: 40, Lost: 1}}},
		{Program: "pi", Version: "1.0", Date: "2026-01-08", Seed: 6, Door: &doorFigures{
			figures: figures{Deliveries: 2, waits: waits{Started: millis{400e6, 600e6}}}, Always: millis{110e6}, Draft: millis{650e6},
			Urgent: millis{250e6},
		}},
	}))(t)

	for _, want := range []string{
		"| pi 1.0 | 2026-01-01 to 2026-01-03 | 80x24, 120x40 | 18 | **1** at 120x40 | 10, 21: it asks before nothing that it does; ",
		"| pi 1.0 | 2026-01-03 |  | rest | draft | queue |\n",
		"| claude 9.0 | 2026-01-06 | 1 | 0 |", "| claude 9.0 | 2026-01-07 | 8 | 0 |",
		"| pi 1.0 | 2026-01-04 to 2026-01-05 | 25 | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 2; 1 | 0 | 7, 8 |\n",
		"| pi 1.0 | 2026-01-05 | 2 | 310ms / 310ms | none | 10ms / 10ms | 300ms / 300ms | 200ms | none |\n",
		"| pi 1.0 | 2026-01-07 to 2026-01-08 | 42 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0; 0 | 0 | 6 |\n",
		"| pi 1.0 | 2026-01-08 | 2, 1, 1, 1 | 400ms / 400ms | 110ms / 110ms | 650ms / 650ms | 250ms / 250ms |\n",
		"before waits\n", "after\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\nold\n") || strings.Index(got, "claude 9.0") > strings.Index(got, "| pi 1.0 | 2026-01-04 to") {
		t.Errorf("the page is\n%s", got)
	}
}

func TestRecordsAreReadAsTheyWereKept(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(agentsPage, "page.md")
	program := installed{realProgram: realPrograms[0], version: "1.0"}
	keep(t, program, record{Size: "80x24", Scenes: map[string]bool{"it works": true}})
	keep(t, program, record{Seed: 7, Deliveries: &figures{Deliveries: 3, waits: waits{Begun: millis{12e6}}}})

	keep(t, program, record{Seed: 7, Door: &doorFigures{figures: figures{Lost: 2}, Draft: millis{650e6}}})

	all := must.Have(readRecords())(t)
	if len(all) != 3 || !all[0].Scenes["it works"] || all[1].Program != realPrograms[0].profile || all[1].Deliveries == nil ||
		all[1].Deliveries.Deliveries != 3 || !slices.Equal(all[1].Deliveries.Begun, millis{12e6}) || all[2].Deliveries != nil ||
		all[2].Door == nil || all[2].Door.Lost != 2 || !slices.Equal(all[2].Door.Draft, millis{650e6}) {
		t.Errorf("the records are %+v", all)
	}
}

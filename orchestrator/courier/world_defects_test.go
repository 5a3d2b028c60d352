package courier

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// defect is a mistake that somebody could make in the sources. The simulation must find it.
type defect struct {
	words    string
	file     string // from this package's directory
	old, new string
}

var defects = []defect{
	// The guards of tmux, in the line that types.
	{"the guard forgets a dead pane", "../../tmux/guard.go", `"#{pane_dead}", "#{pane_input_off}", "#{pane_synchronized}",
		"#{!=`, `"#{pane_input_off}", "#{pane_synchronized}",
		"#{!=`},
	{"the guard forgets a pane that takes no input", "../../tmux/guard.go", `"#{pane_dead}", "#{pane_input_off}", "#{pane_synchronized}",
		"#{!=`, `"#{pane_dead}", "#{pane_synchronized}",
		"#{!=`},
	{"the guard forgets synchronized panes", "../../tmux/guard.go", `"#{pane_dead}", "#{pane_input_off}", "#{pane_synchronized}",
		"#{!=`, `"#{pane_dead}", "#{pane_input_off}",
		"#{!=`},
	{"the guard forgets whose pane it is", "../../tmux/guard.go",
		`"#{!=:#{" + ownerOption + "}," + d.Owner + "}", sequence`, `sequence`},
	{"the guard forgets a person who scrolls", "../../tmux/guard.go",
		`terms = append(terms, "#{pane_in_mode}")`, `terms = append(terms, "0")`},
	{"the guard forgets that the server may be a new one", "../../tmux/guard.go",
		`terms = append(terms, "#{!=:"+instanceFormat+","+d.On+"}")`, `terms = append(terms, "0")`},
	{"the guard forgets a person who types", "../../tmux/guard.go",
		`terms = append(terms, d.touched())`, `terms = append(terms, "0")`},
	{"the paste does not record its number", "../../tmux/guard.go",
		`formatProgress(d.Seq, phase) +`, `formatProgress(d.Seq-1, phase) +`},
	{"the paste is not framed", "../../tmux/guard.go", `"paste-buffer -p -r -d -b "`, `"paste-buffer -r -d -b "`},

	// The loop that carries the steps out.
	{"a resumed text is pasted once more", "../../tmux/submit.go", `	if d.Resume {
		return d.resume(ctx)
	}`, `	if d.Resume && false {
		return d.resume(ctx)
	}`},
	{"nobody looks before the paste", "../../tmux/submit.go", `if step := d.Next(Moment{}); step.Do != Paste {`,
		`if step := d.Next(Moment{}); false {`},
	{"a lost connection counts as nothing typed", "../../tmux/submit.go",
		`if errors.Is(err, ErrNoBody) || errors.Is(err, ErrNoPane) {`, `if err != nil {
			err = nil
			return d.withhold(NotReady, "")
		}
		if errors.Is(err, ErrNoBody) {`},

	// Obstacles.
	{"a dialog does not hold", "screen_state.go", `return held(parley.HoldDialog, "")`, `return hold{}`},
	{"a draft does not hold", "screen_state.go", `return held(parley.HoldDraft, "")`, `return hold{}`},
	{"work does not hold", "screen_state.go", `		h := held(parley.HoldBusy, "")
		h.only = only
		return h`, `		_ = only
		return hold{}`},
	{"nobody asks whether a shell has the terminal", "hold.go", `	case shell:
		return held(parley.HoldShell, f.foreground[0])`, `	case shell && false:
		return held(parley.HoldShell, f.foreground[0])`},
	{"nobody asks whether a pager has the terminal", "hold.go", `	case keys != "":
		return`, `	case keys == "-":
		return`},
	{"a person who has just typed does not hold", "hold.go", `case since <= pause:`, `case since <= -pause:`},
	{"keys that do not show yet do not hold", "hold.go", `case since <= unshownPause && `, `case since <= -unshownPause && `},
	{"keys that were read late do not hold", "memory.go", `case late && o.now.Sub(m.unread) <= unshownPause`,
		`case late && o.now.Sub(m.unread) <= -unshownPause`},
	{"nobody waits for the program to read", "hold.go", `	if f.unread > 0 { //`, `	if f.unread > 1<<20 { //`},
	{"a program that has not begun takes the next", "memory.go", `	case m.given.on == o.on && !active &&`, `	case m.given.on == nil && !active &&`},

	// Between the paste and the key.
	{"a text that was seen once is not looked for before the key", "attempt.go", `	if !a.shown(o) {`, `	if !p.shown && !a.shown(o) {`},
	{"work between paste and key is not seen", "attempt.go", `case o.shows == profile.Busy && a.way.note == ""`,
		`case false && a.way.note == ""`},
	{"words beside ours are not seen", "attempt.go", `case o.holdsOnly(&a.letter) && a.recognises(o):`,
		`case o.holds(&a.letter) && a.recognises(o):`},
	{"the key does not wait for the text", "attempt.go", `	if !a.shown(o) {`, `	if false {`},
	{"nobody asks for a shell before the key", "attempt.go", `	if a.refused = a.typable(o); !a.refused.none() {
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}
	p.scrolls`, `	p.scrolls`},
	{"a crash's paste that does not show gets its key", "attempt.go",
		`!o.tty.known && !a.resumed) &&`, `!o.tty.known || a.resumed) &&`},
	{"a paste that does not show gets its key", "attempt.go",
		`(a.asked || !o.tty.known && !a.resumed) &&`, `!a.resumed &&`},

	// After the key.
	{"the second key comes at once, into anything", "attempt_entered.go",
		`if !takesKey || !o.holdsOnly(&a.letter) || !touched(o.now, o.screen, a.memory.lag).none() {`, `if !takesKey {`},
	{"the second key comes while the first is unread", "attempt_entered.go", `	if o.facts.unread > 0 { //`, `	if false { //`},
	{"a lost key is not pressed again", "attempt_entered.go", `step.Do == tmux.Wait && !taken && mayPress && a.stuck(o)`,
		`false && mayPress && a.stuck(o)`},
	{"what stands in the composer counts as taken", "attempt_entered.go",
		`case o.facts.unread > 0, o.holds(&a.letter), !o.facts.alive:`, `case o.facts.unread > 0, !o.facts.alive:`},
	{"what is unread counts as taken", "attempt_entered.go",
		`case o.facts.unread > 0, o.holds(&a.letter), !o.facts.alive:`, `case o.holds(&a.letter), !o.facts.alive:`},
	{"what a dead program had not read counts as taken", "attempt_entered.go",
		`case o.facts.unread > 0, o.holds(&a.letter), !o.facts.alive:`, `case o.facts.unread > 0, o.holds(&a.letter):`},
	{"what a pager has read counts as taken", "attempt_entered.go", `	case changed, e.elsewhere:`, `	case changed:`},
	{"a text behind a dialog counts as taken", "attempt_entered.go",
		`	case o.hides():`, `	case false:`},
	{"a text that was cleared away counts as taken", "attempt_entered.go", `case taken && (!e.long || a.seen(o)):`, `case taken:`},
	{"a report after the last look is not believed", "outcome.go", `	if c.certain(t, &job, a, &out) {`, `	if false {`},

	// After a crash.
	{"what was never pasted is given up", "resume.go", `	case info.Seq < job.PaneSeq:
		return true, c.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedInterrupted, ""))`, `	case info.Seq < job.PaneSeq:
		return true, c.close(ctx, job, ended(parley.DeliveryUnconfirmed, parley.EndedInterrupted, ""))`},
	{"what was pasted is typed again", "resume.go", `case info.Seq < job.PaneSeq:`, `case info.Seq <= job.PaneSeq:`},
	{"what was pasted counts as entered", "resume.go", `case info.Phase == "pasted":`, `case info.Phase == "":`},
	{"what was entered is entered again", "resume.go", `case info.Phase == "pasted":`, `case info.Phase != "":`},
	{"an emptied composer after a crash is proof", "resume.go", `taken = taken && (!o.profile.HasMarkers() || a.seen(&o))`, `_ = 0`},
	{"an older report is not believed after a crash", "outcome.go", `a.entered.named = a.sent //`, `_ = 0 //`},

	// The courier.
	{"it is typed before it is claimed", "courier.go", `	if claimed, done, err := c.claim(ctx, &job, l); err != nil || !claimed {
		return done, err
	}`, `	defer func() { _, _, _ = c.claim(ctx, &job, l) }()
	job.Announced, job.PaneSeq = l.announced, c.seq+1`},
	{"a refused claim is typed", "offer.go", `		return false, true, nil // read or expired meanwhile`, `		return true, false, nil`},
	{"what took long to claim is typed without another look", "courier.go", `.Sub(looked) > staleLook {`, `.Sub(looked) > 1000*staleLook {`},
	{"what was claimed as it was stored is typed without a look", "courier.go", `	if !h.none() {
		return false, c.hold(ctx, job, h)`, `	if !h.none() && job.State != parley.DeliveryTyping {
		return false, c.hold(ctx, job, h)`},
	{"the courier types while its offer is taken", "courier.go", `	if busy {
		return`, `	if busy && false {
		return`},
	{"a dropped offer is typed on", "offer.go", `return c.m.Offers.Begin(job.Key), false, nil`, `return true, false, nil`},
	{"the number is not read off the pane", "stranded.go", `	if s == nil && c.numbered && c.seq != 0 {`, `	if s == nil {`},
	{"the number is one too low", "offer.go", `job.Announced, job.PaneSeq = l.announced, c.seq+1`, `job.Announced, job.PaneSeq = l.announced, c.seq`},
	{"what was left in typing is forgotten", "courier.go", `return &courier{o: o, m: m, open: true, behind: true}`,
		`return &courier{o: o, m: m, behind: true}`},
	{"an error forgets what is in hand", "courier.go", `again, c.open = true, true`, `again = true`},
	{"an urgent message waits for those read before", "../team/member.go",
		`func (m *Member) HasUrgent() bool {
`, `func (m *Member) HasUrgent() bool {
	return false
`},
	{"the courier does not come back", "courier.go", `return c.m.Terminal() != nil, err // a launch wakes it`, `return false, err`},
	{"what was not delivered is not read again", "courier.go", `			if err != nil || !done {
				c.behind = true`, `			if err != nil || !done {`},

	// The verdicts.
	{"a refused key puts the message back", "outcome.go", `	if a.resumed && out.Phase == tmux.Refused {`, `	if false {`},
	{"an unknown outcome counts as nothing typed", "outcome.go", `	if failure != nil && out.Phase != tmux.Taken {
		return false, failure`, `	if failure != nil && out.Phase != tmux.Taken {
		return false, c.close(ctx, job, change(parley.DeliveryHeld, c.refusal(a, out)))`},
	{"entered counts as submitted", "outcome.go", `case out.Phase == tmux.Taken, out.Phase == tmux.Entered && out.Reason == tmux.NoRefusal:`,
		`case out.Phase == tmux.Taken, out.Phase == tmux.Entered:`},
	{"a text that waits for its key is given up", "outcome.go", `case out.Phase == tmux.Pasted && passing(out.Reason) && !t.Stopping.Load():`,
		`case false:`},
	{"a message that entered work counts as idle's", "ready.go", `	case h.only && h.Code == parley.HoldBusy && t.Profile.QueueKey`,
		`	case h.working() && t.Profile.QueueKey`},
}

var pageFlag = flag.String("page", "", "simulate, try the defects, and write the page to this file")

// TestDefectsStandInTheSources checks that the sources still have every line that a defect replaces.
func TestDefectsStandInTheSources(t *testing.T) {
	known := map[string]bool{}
	for _, d := range defects {
		if n := strings.Count(string(must(os.ReadFile(d.file))), d.old); n != 1 {
			t.Errorf("%s: its text stands %d times in %s, want once", d.words, n, d.file)
		}
		if known[d.words] {
			t.Errorf("%s: stands twice in the table", d.words)
		}
		known[d.words] = true
	}
}

var (
	withinFlag = flag.Int("within", 100_000, "a defect must be found within so many deliveries")
	defectFlag = flag.String("defect", "", "try the defects whose words match this expression")
)

// found is how the simulation found a defect.
type found struct{ deliveries, promise string }

// TestSimulationFindsDefects simulates without a defect, then makes each defect in turn and
// expects the simulation to find it.
func TestSimulationFindsDefects(t *testing.T) {
	switch {
	case *defectFlag != "":
		tryAll(t, regexp.MustCompile(*defectFlag))
	case *pageFlag != "":
		r := simulate(t, newCommon(), extent{deliveries: *deliveriesFlag})
		for _, b := range r.broken {
			t.Error(b)
		}
		all := tryAll(t, regexp.MustCompile(""))
		must(0, os.WriteFile(*pageFlag, []byte(page(r, all)), 0o644))
	default:
		t.Skip("it takes long: make simulate")
	}
}

// tryAll tries the defects whose words match.
func tryAll(t *testing.T, which *regexp.Regexp) (all []found) {
	for _, d := range defects {
		if !which.MatchString(d.words) {
			continue
		}
		f := try(t, &d)
		if f.promise == "" {
			t.Errorf("%s: not found within %d deliveries", d.words, *withinFlag)
		}
		fmt.Printf("| %s | %s | %s |\n", d.words, cmp.Or(f.promise, "not found"), f.deliveries)
		all = append(all, f)
	}
	return all
}

// try simulates with one defect.
func try(t *testing.T, d *defect) found {
	raw := string(must(os.ReadFile(d.file)))
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.go")
	overlay := filepath.Join(dir, "overlay.json")
	replace := map[string]map[string]string{"Replace": {must(filepath.Abs(d.file)): broken}}
	for name, text := range map[string]string{
		broken: strings.Replace(raw, d.old, d.new, 1), overlay: string(must(json.Marshal(replace))),
	} {
		must(0, os.WriteFile(name, []byte(text), 0o600))
	}

	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-s -w", "-overlay", overlay,
		"-count=1", "-v", "-timeout=1h", "-run", "TestSimulation$", ".", "-brief", "-deliveries", strconv.Itoa(*withinFlag))
	out, err := cmd.CombinedOutput()
	_, line, ok := strings.Cut(string(out), "RESULT ")
	if !ok {
		t.Errorf("%s: %v\n%s", d.words, err, out)
		return found{}
	}
	line, _, _ = strings.Cut(line, "\n")
	part := strings.Split(line, "|")
	return found{part[0], part[1]}
}

// page describes a simulation and its defects.
func page(r *result, all []found) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Simulated deliveries

The couriers type into a simulated world: seven kinds of programs, people, faults of tmux and of the database, and a daemon that dies
between any two steps. [architecture.md](../architecture.md#truth) says how. `+"`make simulate`"+` writes this page.

| deliveries | stories | proven | broken promises |
|---|---|---|---|
| %d | %d | %d | %d |

Every run of the tests tells the first %d of these stories. A delivery counts each time that it is claimed: one that is
claimed with its message and then released, since the way is not free, counts twice. The deliveries that were not proven ended as unconfirmed or were read in
another way: their program died, the tmux server went away, or a person had a hand in it.

## Defects on purpose

Each of these %d mistakes was made in the sources, one at a time. The simulation found it after so many deliveries, or did not
within %d.

| mistake | broken promise | deliveries |
|---|---|---|
`, r.deliveries, r.stories, r.proven, len(r.broken), toldAlways, len(all), *withinFlag)
	for i, f := range all {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", defects[i].words, cmp.Or(f.promise, "not found"), f.deliveries)
	}
	return b.String()
}

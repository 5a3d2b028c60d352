package courier

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// defect is a mistake that somebody could make in the sources. The simulation must find it. Where other
// guards stand behind the one that is gone, they are gone too.
type defect struct {
	words    string
	file     string // from this package's directory
	old, new string
	behind   []edit
}

// edit replaces a text in a file.
type edit struct{ file, old, new string }

// edits are all that makes the mistake.
func (d *defect) edits() []edit { return append([]edit{{d.file, d.old, d.new}}, d.behind...) }

var defects = slices.Concat(typingDefects, doorDefects)

var typingDefects = []defect{
	// The guards of tmux, in the line that types.
	{"the guard forgets a dead pane", "../../tmux/guard.go", `		{"#{pane_dead}", "0"},
`, ``, nil},
	{"the guard forgets a pane that takes no input", "../../tmux/guard.go", `		{"#{pane_input_off}", "0"},
`, ``, nil},
	{"the guard forgets synchronized panes", "../../tmux/guard.go", `		{"#{pane_synchronized}", "0"},
`, ``, nil},
	{"the guard forgets whose pane it is", "../../tmux/guard.go", `		{"#{" + ownerOption + "}", d.Owner},
`, ``, nil},
	{"the guard forgets a person who scrolls", "../../tmux/guard.go",
		`facts = append(facts, fact{"#{pane_in_mode}", "0"})`, `facts = append(facts, fact{"0", "0"})`, nil},
	{"the guard forgets that the server may be a new one", "../../tmux/guard.go",
		`facts = append(facts, fact{instanceFormat, d.On})`, `facts = append(facts, fact{"0", "0"})`, nil},
	{"the guard forgets a person who types", "../../tmux/guard.go",
		`facts = append(facts, fact{d.touched(), "0"})`, `facts = append(facts, fact{"0", "0"})`, nil},
	{"the paste does not record its number", "../../tmux/guard.go",
		`record(pane, d.joined, formatProgress(d.Seq, phase)) +`, `record(pane, d.joined, formatProgress(d.Seq-1, phase)) +`, nil},
	{"the paste is not framed", "../../tmux/guard.go", `"paste-buffer -p -r -d -b "`, `"paste-buffer -r -d -b "`, nil},

	// The loop that carries the steps out.
	{"a resumed text is pasted once more", "../../tmux/submit.go", `	if d.Resume {
		return d.resume(ctx)
	}`, `	if d.Resume && false {
		return d.resume(ctx)
	}`, nil},
	{"nobody looks before the paste", "../../tmux/submit.go", `if step := d.Next(Moment{}); step.Do != Paste {`,
		`if step := d.Next(Moment{}); false {`, nil},
	{"a lost connection counts as nothing typed", "../../tmux/submit.go",
		`if d.refused || errors.Is(err, ErrNoBody) || errors.Is(err, ErrNoPane) {`, `if err != nil {
			err = nil
			return d.withhold(NotReady, "")
		}
		if errors.Is(err, ErrNoBody) {`, nil},

	// Obstacles.
	{"a dialog does not hold", "../sight/screen_state.go", `return Held(parley.HoldDialog, "")`, `return Hold{}`, nil},
	{"a draft does not hold", "../sight/screen_state.go", `return Held(parley.HoldDraft, "")`, `return Hold{}`, nil},
	{"a suggestion holds as a draft does", "../sight/reading.go", `	if !o.Composing || strings`, `	if true || strings`, nil},
	{"whatever stands behind the cursor is a suggestion", "../../program/profile/cells.go", `			case !drawn.muted():
				return rows, false
`, ``, nil},
	{"work does not hold", "../sight/screen_state.go", `		h := Held(parley.HoldBusy, "")
		h.Only = only
		return h`, `		_ = only
		return Hold{}`, nil},
	{"nobody asks which program reads", "../sight/reader.go", `	case f.untold != nil, f.Reader.PID == 0, f.Takes(f.Reader):`,
		`	case true:`, []edit{{"../sight/spot.go", `	case !t.Takes(r):`, `	case false:`}}},
	{"a person who has just typed does not hold", "../sight/hold.go", `case since <= pause:`, `case since <= -pause:`, nil},
	{"keys that do not show yet do not hold", "../sight/hold.go", `case since <= UnshownPause && `, `case since <= -UnshownPause && `, nil},
	{"keys that were read late do not hold", "../attempt/memory.go", `waited.After(screen.Touched) {`, `false {`, nil},
	{"nobody waits for the program to read", "../sight/hold.go", `	if f.Unread > 0 { //`, `	if f.Unread > 1<<20 { //`, []edit{
		{"ready.go", `	if facts.Unread > 0 {`, `	if false {`},
	}},
	{"a program that has not begun takes the next", "../attempt/memory.go", `	case m.Last().On == o.On && !active &&`, `	case m.Last().On == nil && !active &&`, nil},

	// Who reads there, and what is asked.
	{"nobody asks whether anything reads", "../sight/spot.go", `	case r.PID == 0, lines.Known`, `	case lines.Known && false && lines.Known`, nil},
	{"words before the cursor do not make a new place", "../sight/spot.go", `s.IsNew = (s.At.New ||`, `s.IsNew = (false && s.At.New ||`, nil},
	{"the operator's word counts for any place", "../sight/spot.go", `!t.Places.Has(team.ProgramID(r.Program), s.At)`,
		`!t.Places.Has(team.ProgramID(r.Program), profile.Place{})`, nil},
	{"a menu of a program without markers does not hold", "../attempt/attempt.go", `	case !o.Question.None():`, `	case false:`, nil},
	{"a screen that no marker knows does not hold", "../sight/screen_state.go", `	return Held(parley.HoldUnknownScreen, "")`,
		`	return Hold{}`, nil},
	{"a question between paste and key is not seen", "../attempt/attempt.go", `	if a.Refused = a.Misplaced(o); !a.Refused.None() {`,
		`	if false {`, nil},
	{"a text behind what no marker knows is given up", "../attempt/attempt.go", `	if o.Profile.HasMarkers() && o.Hides() { //`,
		`	if false { //`, nil},
	{"what a question has read counts as taken", "../attempt/attempt_entered.go", `asked := o.Facts.Unread > 0 && !o.Question.None()`,
		`asked := false`, nil},
	{"nobody looks whether the program refuses", "../attempt/followed.go", `	if within <= 0 ||`, `	if true ||`, nil},
	{"the begin of a turn is proof before any was seen", "../attempt/followed.go", `case began && served &&`,
		`case began &&`, nil},
	{"a dialog is proof before a turn was seen", "../attempt/followed.go", `return served || said ||`, `return true || said ||`, nil},
	{"a stop does not wait for a refusal", "../attempt/followed.go", `	case o.Facts.Stopping:`, `	case o.Facts.Stopping && f.begun:
		return tmux.Step{Do: tmux.Done}
	case o.Facts.Stopping:`, nil},
	{"nobody looks after a crash whether the program refuses", "resume.go", `		step := a.FollowUp(&o)`,
		`		step := tmux.Step{Do: tmux.Done}`, nil},
	{"a report counts although the program may refuse", "../team/served.go", `	return s.last.Profile`, `	return false && s.last.Profile`, nil},

	{"an answer's key goes though its screen has changed", "../../tmux/press.go",
		`facts = append(facts, fact{"#{C/r:" + pattern + "}", strconv.Itoa(s.firstRow(pattern))})`, `_ = fact{pattern, strconv.Itoa(0)}`, nil},

	// Between the paste and the key.
	{"a text that was seen once is not looked for before the key", "../attempt/attempt.go", `	if !a.shown(o) {`, `	if !p.shown && !a.shown(o) {`, nil},
	{"work between paste and key is not seen", "../attempt/attempt.go", `case o.Shows == profile.Busy && !a.Way.By.Works`,
		`case false && !a.Way.By.Works`, nil},
	{"words beside ours are not seen", "../attempt/attempt.go", `case o.HoldsOnly(&a.Text.Letter) && a.recognises(o):`,
		`case o.Holds(&a.Text.Letter) && a.recognises(o):`, nil},
	{"the key does not wait for the text", "../attempt/attempt.go", `	if !a.shown(o) {`, `	if false {`, nil},
	{"nobody asks for a shell before the key", "../attempt/attempt.go", `	if a.Refused = o.Typable(); !a.Refused.None() {
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}
	if a.Text.elsewhere`, `	if a.Text.elsewhere`, nil},
	{"a crash's paste that does not show gets its key", "../attempt/attempt.go",
		`!o.TTY.Known && !a.Resumed) &&`, `!o.TTY.Known || a.Resumed) &&`, nil},
	{"a paste that does not show gets its key", "../attempt/attempt.go",
		`(trusted || !o.TTY.Known && !a.Resumed) &&`, `(trusted || !a.Resumed) &&`, nil},

	// After the key.
	{"the second key comes at once, into anything", "../attempt/attempt_entered.go",
		`if !takesKey || !o.HoldsOnly(&a.Text.Letter) || !sight.Touched(o.Now, o.Screen, a.Memory.lag).None() ||
		a.Memory.readLate(o) {`, `if !takesKey {`, nil},
	{"the second key comes while the first is unread", "../attempt/attempt_entered.go", `	if o.Facts.Unread > 0 { //`, `	if false { //`, nil},
	{"a lost key is not pressed again", "../attempt/attempt_entered.go", `step.Do == tmux.Wait && !taken && mayPress && a.stuck(o)`,
		`false && mayPress && a.stuck(o)`, nil},
	{"what a form shows counts as taken", "../attempt/stranded.go", `case s.shownAbove(o) && s.WasEntered() && !s.Doubted:`,
		`case s.shownAbove(o) && !s.Doubted:`, []edit{
			{"../attempt/stranded.go", `	case s.shownAbove(o) && !s.WasEntered() && !s.answered(o):`, `	case false:`},
			{"verdict.go", `if !entered && proof != parley.ProofReport {`, `if false {`},
		}},
	{"what stands in the composer counts as taken", "../attempt/attempt_entered.go",
		`case o.Facts.Unread > 0, o.Holds(&a.Text.Letter), !o.Facts.Alive:`, `case o.Facts.Unread > 0, !o.Facts.Alive:`, nil},
	{"what is unread counts as taken", "../attempt/attempt_entered.go",
		`case o.Facts.Unread > 0, o.Holds(&a.Text.Letter), !o.Facts.Alive:`, `case o.Holds(&a.Text.Letter), !o.Facts.Alive:`, nil},
	{"what a dead program had not read counts as taken", "../attempt/attempt_entered.go",
		`case o.Facts.Unread > 0, o.Holds(&a.Text.Letter), !o.Facts.Alive:`, `case o.Facts.Unread > 0, o.Holds(&a.Text.Letter):`, nil},
	{"what a pager has read counts as taken", "../attempt/attempt_entered.go", `	case changed, e.elsewhere:`, `	case changed:`, nil},
	{"a text behind a dialog counts as taken", "../attempt/attempt_entered.go",
		`	case o.Hides():`, `	case false:`, nil},
	{"a text that was cleared away counts as taken", "../attempt/attempt_entered.go", `case taken && (!e.Long || a.Seen(o)):`, `case taken:`, []edit{
		{"../attempt/attempt_entered.go", `	if !a.Entered.Touched && !a.Entered.Unseen {`, `	if true {`},
	}},
	{"an emptied composer is proof although nobody looked", "../attempt/attempt_entered.go",
		`e.Unseen = e.Unseen || o.Now.Sub(e.looked) >= blindWithin`, `_ = blindWithin`, nil},
	{"a report after the last look is not believed", "outcome.go", `	if y.certain(t, &job, a, &out) {`, `	if false {`, nil},

	// After a crash.
	{"what was never pasted is given up", "resume.go", `	case info.Seq < job.PaneSeq:
		return true, r.ledger.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedInterrupted, ""))`, `	case info.Seq < job.PaneSeq:
		return true, r.ledger.close(ctx, job, ended(parley.DeliveryUnconfirmed, parley.EndedInterrupted, ""))`, nil},
	{"what was pasted is typed again", "resume.go", `case info.Seq < job.PaneSeq:`, `case info.Seq <= job.PaneSeq:`, nil},
	{"what was pasted counts as entered", "resume.go", `case info.Phase == tmux.PanePasted && !reportedSince(r.m, &job, job.Message.Timestamp):`, `case info.Phase == "":`, nil},
	{"what was entered is entered again", "resume.go", `case info.Phase == tmux.PanePasted && !reportedSince(r.m, &job, job.Message.Timestamp):`, `case info.Phase != "":`, []edit{
		{"../../tmux/submit.go", `	case info.Phase == PanePasted:`, `	case true:`},
		{"../../tmux/guard.go", `	guard := d.guard(fact{progressFormat(pane, d.joined), formatProgress(d.Seq, from)})
	return d.refuseIf(guard) + d.leaveMode() + d.queueKeys() +`, `	_ = from
	guard := d.guard()
	return d.refuseIf(guard) + d.leaveMode() + d.queueKeys() +`},
	}},
	{"keys that a crash left waiting are not let go", "view.go",
		`	waited, err := o.host.Pane(t).ReleaseKeys(ctx)`, `	waited, err := false, error(nil)`, nil},
	{"an emptied composer after a crash is proof", "resume.go", `taken = taken && (!o.Profile.HasMarkers() || a.Seen(&o))`, `_ = 0`, nil},
	{"an older report is not believed after a crash", "outcome.go", `a.Entered.Named = attempt.Later(job.Message.Timestamp, job.QueuedAt)`, `_ = 0`, nil},

	// The courier.
	{"it is typed before it is claimed", "courier.go", `	if claimed, done, err := c.ledger.claim(ctx, &job, l); err != nil || !claimed {
		return done, err
	}`, `	defer func() { _, _, _ = c.ledger.claim(ctx, &job, l) }()
	job.Announced, job.PaneSeq = l.Announced, c.ledger.seq+1`, nil},
	{"a refused claim is typed", "ledger.go", `		return false, true, nil // read or expired meanwhile`, `		return true, false, nil`, nil},
	{"what took long to claim is typed without another look", "courier.go", `now.Sub(looked) > staleLook || now.Sub(decided) >= slowClaim {`,
		`false && now.Sub(looked) > 0 && now.Sub(decided) > 0 {`, nil},
	{"what was claimed as it was stored is typed without a look", "courier.go", `	if !h.None() {
		c.doors.hook.beckon(`, `	if !h.None() && job.State != parley.DeliveryTyping {
		c.doors.hook.beckon(`, nil},
	{"the courier types while its offer is taken", "courier.go", `	if busy {
		c.lookAhead`, `	if busy && false {
		c.lookAhead`, nil},
	{"a dropped offer is typed on", "ledger.go", `return l.m.Offers.Begin(job.Key), false, nil`, `return true, false, nil`, nil},
	{"the number is not read off the pane", "view.go", `	if s == nil && v.ledger.numbered {`, `	if s == nil {`, nil},
	{"the number is one too low", "ledger.go", `job.Announced, job.PaneSeq = text.Announced, l.seq+1`, `job.Announced, job.PaneSeq = text.Announced, l.seq`, nil},
	{"what was left in typing is forgotten", "courier.go", `ledger{post: p, open: true, behind: true}`,
		`ledger{post: p, behind: true}`, nil},
	{"an error forgets what is in hand", "courier.go", `again, c.ledger.open = true, true`, `again = true`, nil},
	{"an urgent message waits for those read before", "../team/member.go",
		`func (q *queue) HasUrgent() bool {
`, `func (q *queue) HasUrgent() bool {
	return false
`, nil},
	{"the courier does not come back", "courier.go", `return c.m.Terminal() != nil, err // a launch wakes it`, `return false, err`, nil},
	{"what was not delivered is not read again", "courier.go", `			if err != nil || !done {
				c.ledger.behind = true`, `			if err != nil || !done {`, nil},

	// Hosts.
	{"a lease that is over does not hold", "view.go", `	f.LeaseOver = v.o.leaseOver()`,
		`	f.LeaseOver = false`, nil},
	{"the key does not wait for the lease", "../sight/observation.go", `	if o.Facts.LeaseOver {`, `	if false {`, nil},

	// The verdicts.
	{"a refused key puts the message back", "outcome.go", `	if a.Resumed && out.Phase == tmux.Refused {`, `	if false {`, nil},
	{"an unknown outcome counts as nothing typed", "outcome.go", `	if failure != nil && out.Phase != tmux.Taken {
		return false, failure`, `	if failure != nil && out.Phase != tmux.Taken {
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, a.Refusal(out, y.m)))`, nil},
	{"entered counts as submitted", "outcome.go", `case out.Phase == tmux.Taken, out.Phase == tmux.Entered && out.Reason == tmux.NoRefusal:`,
		`case out.Phase == tmux.Taken, out.Phase == tmux.Entered:`, nil},
	{"a text that waits for its key is given up", "outcome.go", `case out.Phase == tmux.Pasted && passing(out.Reason) && !t.Stopping.Load():`,
		`case false:`, nil},
	{"a paste that does not show is typed again without a dialog", "../attempt/attempt.go", `return a.Text.beneath && o.Unvisited()`,
		`return o.Unvisited()`, nil},
	{"what a person found beneath a dialog is typed again", "../attempt/attempt.go", `return a.Text.beneath && o.Unvisited()`,
		`return a.Text.beneath`, nil},
	{"what is taken back keeps its verdict", "finish.go", `	if s == nil || s != r.view.memory.Given {`, `	if true {`, nil},
	{"what is taken back gets its key again", "../attempt/stranded.go", `s.Waits() || !s.Dismissed && s.Code() != parley.EndedUndone &&`,
		`s.Waits() || !s.Dismissed &&`, nil},
	{"what a person recalls counts as taken back", "../attempt/memory.go",
		`	if shown := g.shownAbove(o); shown || g.Kept || g.Above == nil {`,
		`	if g.Above = o.Above; false {`, nil},
	{"what its program has not drawn counts as taken back", "../attempt/memory.go",
		`o.Screen.Drawn.After(g.Told) //`, `!o.Screen.Drawn.IsZero() //`, nil},
	{"the second key counts as the first", "../../tmux/submit.go",
		`d.out.Again, d.out.EnteredAt = true, time.Now()`, `d.out.Again = true`, nil},
	{"nobody looks again for what is taken back", "finish.go", `	return undone || h.Brief(), err`, `	return undone || false && h.Brief(), err`, nil},
	{"what a person entered and recalls gets its key", "../attempt/stranded.go", `	return s.elsewhere || s.WasEntered() && s.Left || s.shownAbove(o)
`, `	return s.WasEntered() && (s.Left || s.shownAbove(o))
`, []edit{{"../attempt/stranded.go", "\t\ts.elsewhere = true\n", ""}}},
	{"nobody reads what stands behind a text", "../attempt/attempt_entered.go", `	if shown && touched && words != "" {`, `	if false {`, nil},
	{"a message that entered work counts as idle's", "ready.go", `	case h.Code() == parley.HoldBusy && t.Profile.QueueKey`,
		`	case h.Working() && t.Profile.QueueKey`, nil},
}

var pageFlag = flag.String("page", "", "simulate, try the defects, and write the page to this file")

// TestDefectsStandInTheSources checks that the sources still have every line that a defect replaces.
func TestDefectsStandInTheSources(t *testing.T) {
	known := map[string]bool{}
	for _, d := range defects {
		for _, e := range d.edits() {
			if n := strings.Count(string(must(os.ReadFile(e.file))), e.old); n != 1 {
				t.Errorf("%s: its text stands %d times in %s, want once", d.words, n, e.file)
			}
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
	case *pageFlag != "":
		r := simulate(t, newCommon(), extent{deliveries: *deliveriesFlag})
		for _, b := range r.broken {
			t.Error(b)
		}
		all := rowsOf(string(must(os.ReadFile(*pageFlag))))
		maps.Copy(all, tryAll(t, regexp.MustCompile(*defectFlag)))
		text := page(r, all, notesOf(*pageFlag))
		must(0, os.WriteFile(*pageFlag, []byte(text), 0o644))
	case *defectFlag != "":
		tryAll(t, regexp.MustCompile(*defectFlag))
	default:
		t.Skip("it takes long: make simulate")
	}
}

// tryAll tries the defects whose words match, and returns how they were found by their words.
func tryAll(t *testing.T, which *regexp.Regexp) map[string]found {
	all := map[string]found{}
	for _, d := range defects {
		if !which.MatchString(d.words) {
			continue
		}
		f := try(t, &d)
		if f.promise == "" {
			t.Errorf("%s: not found within %d deliveries", d.words, *withinFlag)
		}
		fmt.Println(f.row(d.words))
		all[d.words] = f
	}
	return all
}

// try simulates with one defect.
func try(t *testing.T, d *defect) found {
	dir := t.TempDir()
	texts, broken := map[string]string{}, map[string]string{}
	for i, e := range d.edits() {
		path := must(filepath.Abs(e.file))
		if texts[path] == "" {
			texts[path] = string(must(os.ReadFile(path)))
			broken[path] = filepath.Join(dir, fmt.Sprintf("broken%d.go", i))
		}
		texts[path] = strings.Replace(texts[path], e.old, e.new, 1)
	}
	for path, text := range texts {
		must(0, os.WriteFile(broken[path], []byte(text), 0o600))
	}
	overlay := filepath.Join(dir, "overlay.json")
	must(0, os.WriteFile(overlay, must(json.Marshal(map[string]any{"Replace": broken})), 0o600))

	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-s -w", "-overlay", overlay,
		"-count=1", "-v", "-timeout=1h", "-run", "TestSimulation$", ".", "-brief", "-deliveries",
		strconv.Itoa(*withinFlag))
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

// The notes that somebody wrote between these lines of the page stay there.
const notesBegin, notesEnd = "<!-- notes -->\n", "<!-- end of notes -->\n"

func notesOf(path string) string {
	_, notes, _ := strings.Cut(string(must(os.ReadFile(path))), notesBegin)
	notes, _, _ = strings.Cut(notes, notesEnd)
	return notes
}

// row is how a defect was found as a line of the page. rowsOf returns those of a page, which stay there until the
// defects are tried again.
func (f found) row(words string) string {
	return fmt.Sprintf("| %s | %s | %s |", words, cmp.Or(f.promise, "not found"), f.deliveries)
}

func rowsOf(page string) map[string]found {
	all := map[string]found{}
	for line := range strings.Lines(page) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 3 {
			all[cells[0]] = found{deliveries: cells[2], promise: cells[1]}
		}
	}
	return all
}

func TestRowsOfDefectsStayOnThePage(t *testing.T) {
	f := found{deliveries: "279", promise: promiseProof}
	if got := rowsOf("| mistake | n |\n" + f.row("a mistake") + "\n"); len(got) != 1 || got["a mistake"] != f {
		t.Errorf("got %v", got)
	}
}

func TestPageNamesOnlyDefectsThatCanBeMade(t *testing.T) {
	b, err := os.ReadFile("../../docs/measured/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	for words := range rowsOf(string(b)) {
		made := slices.ContainsFunc(defects, func(d defect) bool { return d.words == words })
		if words != "mistake" && !made {
			t.Errorf("the page has %q, which is made no more", words)
		}
	}
}

// page describes a simulation and its defects.
func page(r *result, all map[string]found, notes string) string {
	var b, rows strings.Builder
	tried := 0
	for _, d := range defects {
		if f, ok := all[d.words]; ok {
			tried++
			fmt.Fprintln(&rows, f.row(d.words))
		}
	}
	fmt.Fprintf(&b, `# Simulated deliveries

The couriers type into a simulated world: seven kinds of programs, some with a door of their own, people, faults, and a daemon that dies
between any two steps. [architecture.md](../architecture.md#truth) says how. `+"`make simulate`"+` writes this page.

| deliveries | stories | proven | broken promises |
|---|---|---|---|
| %d | %d | %d | %d |

Every check simulates the first 100,000 of these deliveries, and every run of the tests tells the first %d stories. A delivery counts each time that it is claimed: one that is
claimed with its message and then released, since the way is not free, counts twice. The deliveries that were not proven ended as unconfirmed or were read in
another way: their program died, the tmux server went away, or a person had a hand in it.

%s%s%s
## Defects on purpose

Each of these %d mistakes was made in the sources, one at a time. The simulation found it after so many deliveries, or did not
within %d. Where other guards stand behind the one that is gone, they are gone too. A row stays until its mistake is tried again.

| mistake | broken promise | deliveries |
|---|---|---|
`, r.deliveries, r.stories, r.proven, len(r.broken), toldAlways,
		notesBegin, notes, notesEnd, tried, *withinFlag)
	fmt.Fprint(&b, rows.String())
	return b.String()
}

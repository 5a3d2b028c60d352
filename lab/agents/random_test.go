package agents

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/internal/testhome"
)

// trial sends to a program at random: while it is idle, works or asks, while a person
// types or scrolls, while the daemon crashes, and after its model has failed.
type trial struct {
	*onStage
	*rand.Rand
	figures
	began time.Time
	story []string // what happened in the scene, for its failure
	first int      // the scene's first message
	rests bool     // the scene is one message to a program that rested
	n     int      // scenes so far
	stray int      // what the model got besides messages
}

func newTrial(s *onStage, random *rand.Rand) *trial { return &trial{onStage: s, Rand: random} }

// run makes n deliveries at random, and those that are measured.
func (t *trial) run(n int) figures {
	t.atRandom(n)
	t.atRest()
	return t.figures
}

// atRandom makes n more deliveries at random.
func (t *trial) atRandom(n int) {
	t.press("Right") // shows ann to a person from the beginning; changes nothing
	scenes := []func(){
		t.toIdle, t.toIdle, t.toIdle, t.intoWork, t.intoWork, t.intoDialog, t.intoDialog,
		t.intoDraft, t.intoDraft, t.intoScrolling, t.intoCrash, t.intoQueue, t.intoFailure,
	}
	if t.sender != nil {
		scenes = append(scenes, t.fromSeveral, t.fromSeveral, t.fromSeveral, t.intoEnd)
	}
	if sandboxed() {
		scenes = append(scenes, t.intoCommit, t.intoEnd)
	}
	for enough := t.Deliveries + n; t.Deliveries < enough; {
		t.play(scenes[t.IntN(len(scenes))])
	}
	t.findStrays()
}

// atRest makes the deliveries that are measured.
func (t *trial) atRest() {
	for range measured {
		t.play(t.toRested)
	}
	t.findStrays()
}

// findStrays counts what the model got besides the messages as mangled.
func (t *trial) findStrays() {
	if strays := t.strays(); len(strays) > t.stray {
		t.Mangled += len(strays) - t.stray
		t.stray = len(strays)
		t.Errorf("the model was sent besides: %q", strays)
	}
}

// take returns the figures since the last time.
func (t *trial) take() figures {
	f := t.figures
	t.figures = figures{}
	return f
}

// play tries a scene.
func (t *trial) play(scene func()) {
	t.began, t.story, t.first, t.rests = time.Now(), nil, len(t.sent), false
	t.n++
	scene()
	t.settle()
}

// tell notes what happened in a scene, and when.
func (t *trial) tell(format string, args ...any) {
	t.story = append(t.story, fmt.Sprintf("%6d ms: ", time.Since(t.began).Milliseconds())+fmt.Sprintf(format, args...))
}

// fails counts a failure and shows what led to it.
func (t *trial) fails(count *int, format string, args ...any) {
	*count++
	t.tell(format, args...)
	var explained strings.Builder
	for _, m := range t.sent[t.first:] {
		out, err := t.Command("explain", m.ID).CombinedOutput()
		fmt.Fprintf(&explained, "%s(%v)\n", out, err)
	}

	t.Errorf("scene %d:\n%s\n%s\nthe model was sent %q; the screen is\n%s",
		t.n, strings.Join(t.story, "\n"), explained.String(), t.model.Prompts(), t.screen())
}

func (t *trial) pause(most time.Duration) {
	time.Sleep(time.Duration(t.Int64N(int64(most))))
}

// says sends a random message: mostly one of 1 to 60 lines.
func (t *trial) says() {
	text := ""
	switch t.IntN(4) {
	case 0:
		text = hostile[t.IntN(len(hostile))]
	case 1:
		text = fmt.Sprintf("please look at file %d", t.IntN(1000))
	default:
		lines := 1 + t.IntN(60)
		text = textOf(lines, max(2*lines, t.IntN(2000)))
	}
	priority := []string{"low", "normal", "normal", "normal", "high", "urgent"}[t.IntN(6)]
	t.tells(text, "--priority", priority)
}

func (t *trial) tells(text string, flags ...string) *letter {
	m := t.send(text, flags...)
	t.tell("sent %s %q %q", parley.Short(m.ID), flags, text)
	return m
}

func (t *trial) says123() {
	for range 1 + t.IntN(3) {
		t.says()
		t.pause(300 * time.Millisecond)
	}
}

func (t *trial) toIdle() {
	t.tell("it is idle")
	t.says()
}

const (
	// rest is how long a program is idle before a measured message: right after a turn,
	// parley waits longer.
	rest     = 4 * time.Second
	measured = 15 // messages to each program, besides those at random
)

func (t *trial) toRested() {
	time.Sleep(rest)
	t.rests = true
	t.tell("it has rested")
	t.tells(fmt.Sprintf("please look at file %d", t.IntN(1000)))
}

func (t *trial) intoWork() {
	work := time.Duration(1+t.IntN(4)) * time.Second
	t.tells(fmt.Sprintf("%s %d please", []string{"SLEEP", "STREAM"}[t.IntN(2)], work/time.Second))
	t.pause(work + time.Second)
	t.says123()
}

func (t *trial) intoDialog() {
	if t.program.ask == "" {
		return
	}
	file := filepath.Join(workdir(t.Home), fmt.Sprintf("forbidden%d", t.n))
	t.tells(fmt.Sprintf("SLEEP %d and ", 1+t.IntN(2)) + strings.ReplaceAll(t.program.ask, "FILE", file))
	t.pause(4 * time.Second)
	if t.sender == nil {
		t.says123()
	} else {
		t.saysInside()
	}
	if !t.until(testhome.Patience, func() bool { return t.look().State == parley.StateWaiting }) {
		t.fails(&t.Unseen, "no dialog is seen")
		return
	}

	t.tell("a dialog is open")
	t.pause(3 * time.Second)
	if state := t.look().State; state != parley.StateWaiting {
		t.fails(&t.Answered, "the dialog is gone: ann is %s", state)
	}

	t.refuse()
	t.tell("the person pressed Escape")
	time.Sleep(100 * time.Millisecond)
	if _, err := os.Stat(file); err == nil {
		t.fails(&t.Answered, "the dialog was answered")
	}
}

func (t *trial) intoDraft() {
	draft := fmt.Sprintf("half a thought %d", t.IntN(1000))
	before := t.IntN(2) == 0
	if before {
		t.press("-l", draft)
		t.tell("the person typed %q", draft)
		t.pause(500 * time.Millisecond)
	}

	t.says123()
	if !before {
		if last := t.sent[len(t.sent)-1]; t.IntN(2) == 0 { // between the paste and the key
			t.until(5*time.Second, func() bool {
				return strings.Contains(t.composer(), parley.Short(last.ID)) || t.status(last).State.Settled()
			})
		}

		t.pause(time.Second)
		t.press("-l", draft)
		t.tell("the person typed %q", draft)
	}

	if !t.until(testhome.Patience, func() bool { return strings.Contains(t.composer(), draft) }) {
		t.fails(&t.Touched, "the draft is not in the composer: %q", t.composer())
		if !t.until(testhome.Patience, func() bool { return t.admits(draft) }) {
			t.fails(&t.Wrong, "no verdict says that the draft was submitted")
		}
		return
	}

	t.pause(5 * time.Second)
	text := t.composer()
	switch {
	case !strings.Contains(text, draft):
		t.fails(&t.Touched, "the draft is gone, the composer holds %q", text)
	case !strings.HasSuffix(text, draft):
		t.fails(&t.Touched, "the composer holds %q", text)
	}

	t.backspace(draft)
	t.tell("the person took it back")
}

// admits reports whether parley says of a message of the scene that a draft went with it.
func (t *trial) admits(draft string) bool {
	for _, m := range t.sent[t.first:] {
		for _, step := range t.status(m).Steps {
			if strings.Contains(step.Evidence, "together with") && strings.Contains(step.Evidence, draft) {
				return true
			}
		}
	}
	return false
}

func (t *trial) intoScrolling() {
	t.press("C-b")
	time.Sleep(300 * time.Millisecond) // tmux takes keys that come at once for a paste, also behind its prefix
	t.press("[")
	t.tell("the person scrolls")
	t.pause(time.Second)
	t.says123()
	t.pause(2 * time.Second)
	t.press("q")
	t.tell("the person scrolls no more")
}

func (t *trial) intoCrash() {
	t.says123()
	t.pause(time.Second)
	t.killDaemon()
	t.tell("the daemon was killed")
}

// settle waits until all messages are delivered and the program is idle, and checks them.
func (t *trial) settle() {
	over := false // the operator has gone on after a failure
	ended := map[*letter]bool{}
	quiet := t.until(endurance, func() bool {
		state := t.look().State
		if state == parley.StateWaiting && t.program.goesOn != "" {
			time.Sleep(2 * time.Second) // what the person has just refused is gone then, and the key would end what follows
			if t.look().State == parley.StateWaiting {
				t.press(t.program.goesOn)
				t.tell("the person ended what it asked by itself")
			}
			return false
		}
		t.model.Release() // some try by themselves again what waits

		for _, m := range t.sent[t.first:] {
			if ended[m] {
				continue // each look costs a run of parley
			}
			d := t.status(m)
			if times, _ := t.prompted(m); !d.State.Settled() || d.State.Delivered() && times == 0 {
				return false
			}
			ended[m] = true
		}
		if state == parley.StateBlocked && !over { // what failed took all of them along
			over = true
			m := t.tells("go on after all")
			out, err := t.Command("retry", m.ID).CombinedOutput()
			t.tell("the operator retried %s: %s(%v)", parley.Short(m.ID), out, err)
			return false
		}
		return state == parley.StateIdle
	})
	mine := t.sent[t.first:]
	if !quiet {
		t.tell("ann is %s, held: %q", t.agent.State, t.agent.HeldReason)
	}

	for _, m := range mine {
		t.judge(m)
	}

	t.Deliveries += len(mine)
	if !quiet {
		t.Stuck++
		t.Fatalf("scene %d does not come to rest:\n%s\n%s", t.n, strings.Join(t.story, "\n"), t.screen())
	}
}

func (t *trial) judge(m *letter) {
	times, whole := t.prompted(m)
	if times > 0 && t.sender != nil { // parley asks for what is unconfirmed every ten seconds
		t.until(20*time.Second, func() bool { return t.status(m).State != parley.DeliveryUnconfirmed })
	}
	d := t.status(m)
	switch {
	case times == 0 && d.State.Delivered():
		t.Wrong++
		t.fails(&t.Lost, "%s is %s and never came", parley.Short(m.ID), d.State)
	case times == 0 && d.State == parley.DeliveryUnconfirmed:
		t.Unconfirmed++
		t.Absent++
		t.tell("%s did not come and is unconfirmed: %s", parley.Short(m.ID), d.Reason)
		t.Logf("scene %d:\n%s\n%s", t.n, strings.Join(t.story, "\n"), t.screen())
	case times == 0:
		t.fails(&t.Lost, "%s is %s (%s) and never came", parley.Short(m.ID), d.State, d.Reason)
	case times > 1:
		t.fails(&t.Twice, "%s came %d times", parley.Short(m.ID), times)
	case !whole:
		t.fails(&t.Mangled, "%s came changed, want %q", parley.Short(m.ID), m.want)
	case d.State.Failed():
		t.fails(&t.Wrong, "%s came and is called %s", parley.Short(m.ID), d.State)
	case d.State == parley.DeliveryUnconfirmed:
		t.Unconfirmed++
		t.tell("%s came and is unconfirmed: %s", parley.Short(m.ID), d.Reason)
		t.Logf("scene %d:\n%s\n%s", t.n, strings.Join(t.story, "\n"), t.screen())
	}

	if t.rests && times == 1 && d.State.Delivered() {
		t.measure(m, d)
	}
}

// measure records the times of a delivery to a program that rested.
func (t *trial) measure(m *letter, d parley.Delivery) {
	var typing, proven time.Time
	for _, step := range d.Steps {
		switch step.State {
		case parley.DeliveryTyping:
			typing = step.At
		case parley.DeliverySubmitted:
			proven = step.At
		}
	}
	if typing.IsZero() || proven.IsZero() {
		return // it did not come the way that is measured
	}
	t.Begun = append(t.Begun, typing.Sub(m.Timestamp))
	t.Typed = append(t.Typed, proven.Sub(typing))
	t.Submitted = append(t.Submitted, proven.Sub(m.Timestamp))

	for _, prompt := range t.model.Log() {
		if strings.Contains(prompt.Text, m.want) {
			t.Reached = append(t.Reached, prompt.At.Sub(typing))
			t.Started = append(t.Started, prompt.At.Sub(m.Timestamp))
		}
	}
}

package courier

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/tmux"
)

// The operator answers what an agent asks with the real line of tmux.PressKey. They look, and their key comes later.

// answerHandle is the pane as an answer reaches it. Faults of tmux are the courier's part.
type answerHandle struct{ simHandle }

// Run implements tmux.Runner.
func (h answerHandle) Run(_ context.Context, compose func(string) string) (string, error) {
	w := h.d.w
	commands, err := parseLine(compose("TOKEN"), w.formats)
	if err != nil {
		return "", err
	}
	w.answering = true
	defer func() { w.answering = false }()
	out, failed := h.find().run(commands)
	if failed {
		return "", &tmux.CommandError{Text: "unknown command: parley-refuses"}
	}
	_, behind, _ := strings.Cut(out, "TOKEN")
	return behind, nil
}

// answerLate lets the operator look at what the pane asks, and press Enter for that some time later.
func (w *world) answerLate(p *simPane, late time.Duration) {
	if w.daemon == nil || !p.program.shown.dialog {
		return
	}
	seen := p.screen()
	w.note("the operator sees %q", strings.Join(seen.Lines, "|"))
	w.after(late, func() { w.giveAnswer(p, seen, 60) })
}

// giveAnswer presses the key, once no message is being typed.
func (w *world) giveAnswer(p *simPane, seen tmux.Screen, tries int) {
	d := w.daemon
	switch {
	case d == nil || w.instance == "" || tries == 0:
		return
	case !d.m.Typing.TryLock():
		w.after(50*time.Millisecond, func() { w.giveAnswer(p, seen, tries-1) })
		return
	}
	defer d.m.Typing.Unlock()

	if len(p.program.unread) > 0 {
		return
	}
	refusal, _, err := tmux.PressKey(d.ctx, answerHandle{simHandle{d, p.id}}, tmux.Keypress{
		Owner: agentID, On: w.instance, Untouched: time.Now().Add(-time.Second),
		Screen: seen, From: 0, To: len(seen.Lines), Key: tmux.Enter,
	})
	w.note("the operator's answer: refused %q, %v", refusal, err)
}

// answers checks that the key of an answer finds what it is for, as far as that is drawn.
func (v *watch) answers(p *simPane) {
	if !p.program.shown.dialog {
		v.w.violate(promiseScreen, "the key of an answer goes where nothing is asked any more")
	}
}

// rowOf begins the format for the number of the first row that matches.
const rowOf = "C/r:"

func (p *simPane) rowOf(pattern string) string {
	re := regexp.MustCompile(pattern)
	for i, line := range p.program.shown.lines {
		if re.MatchString(strings.TrimRight(line, " ")) {
			return strconv.Itoa(i + 1)
		}
	}
	return "0"
}

// swallow opens a dialog over a paste, before or after the program has read that. It is answered from elsewhere, or by
// a person, who may clear or enter what they find beneath it.
func (w *world) swallow(p *simPane, e event) {
	g, after := p.program, time.Duration(0)
	if e.N > 1 {
		after = w.story.Traits.Read + time.Millisecond
	}
	w.after(after, func() { w.befall(p, event{Do: "dialog", For: e.For + 30*time.Second}) })
	w.after(e.For, func() {
		if e.What == "" {
			w.answerLate(p, 0)
			return
		}
		w.answer(p)
		w.after(g.w.story.Traits.Read+g.w.story.Traits.Draw, func() { w.befall(p, event{Do: e.What}) })
	})
}

// addSwallowing lets dialogs open over pastes. It draws its own chances, so that other stories stay as they are.
func (t *teller) addSwallowing(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 6))
	if !t.p.HasMarkers() || t.s.Calm || o.IntN(6) > 0 {
		return
	}
	for range 1 + o.IntN(2) {
		t.s.Events = append(t.s.Events, event{
			At: o.between(0, end), Do: "swallow", N: 1 + o.IntN(2),
			What: []string{"", "", "", "clear", "enter"}[o.IntN(5)], For: o.between(time.Second, 10*time.Second),
		})
	}
}

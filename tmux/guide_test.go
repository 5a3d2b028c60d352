package tmux_test

import (
	"time"

	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// guide decides the steps of a Submission in tests.
type guide struct {
	shown  func(tmux.Screen) bool // press the key then; nil: at once
	taken  func(tmux.Screen) bool // wait for that after the key; nil: do not
	within time.Duration          // for taken; default 10 s
}

// next returns the guide's decisions. They stop at a dialog.
func (g guide) next() func(tmux.Moment) tmux.Step {
	var phase tmux.Phase
	var began time.Time
	if g.within == 0 {
		g.within = 10 * time.Second
	}
	return func(m tmux.Moment) tmux.Step {
		if m.Phase != phase || began.IsZero() {
			phase, began = m.Phase, time.Now()
		}
		switch {
		case m.Phase == tmux.Unknown:
			return tmux.Step{Do: tmux.Paste}
		case tmuxtest.Shows(m.Screen, tmuxtest.DialogText):
			return tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
		case m.Phase == tmux.Pasted && (g.shown == nil || g.shown(m.Screen)):
			return tmux.Step{Do: tmux.Press}
		case m.Phase == tmux.Entered && g.taken == nil:
			return tmux.Step{Do: tmux.Stop}
		case m.Phase == tmux.Entered && g.taken(m.Screen):
			return tmux.Step{Do: tmux.Done}
		case m.Phase == tmux.Pasted && time.Since(began) < 10*time.Second, m.Phase == tmux.Entered &&
			time.Since(began) < g.within:
			return tmux.Step{Do: tmux.Wait}
		case m.Phase == tmux.Pasted:
			return tmux.Step{Do: tmux.Stop, Reason: tmux.NotShown}
		}
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}
}

// stopped is a Next that goes no further than the paste.
func stopped(m tmux.Moment) tmux.Step {
	if m.Phase == tmux.Unknown {
		return tmux.Step{Do: tmux.Paste}
	}
	return tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
}

func shows(text string) func(tmux.Screen) bool {
	return func(s tmux.Screen) bool { return tmuxtest.Shows(s, text) }
}

func emptied(s tmux.Screen) bool { return s.CursorLine() == tmuxtest.Prompt }

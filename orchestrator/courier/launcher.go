package courier

import (
	"time"

	"parley"
	"parley/tmux"
)

// A launcher can read the terminal before it gives that to the agent's program, behind a sign like that of a program.
// It is told by two facts. It goes on by itself, since it also waits for something else than its terminal: a timer, a
// download, a child. And another program reads the terminal after it. Only scripts and programs that start others may
// be launchers, and only until the first message has been followed.

const (
	// launchesWithin is how long after its start a program that waits for more than its terminal may still be a
	// launcher.
	launchesWithin = 10 * time.Second
	// launchesOn is how long one that has read a message may take to give its terminal away.
	launchesOn = 5 * time.Second
)

// launching holds the first message while what reads the terminal may be a launcher that goes on by itself.
func (m *memory) launching(o *observation) hold {
	if !m.leads || o.now.Sub(o.on.Started) >= launchesWithin {
		return hold{}
	}
	if r, err := o.reader(); err != nil || r.Only {
		return hold{}
	}
	return held(parley.HoldStarting, "")
}

// noteReader notes what is about to read the text, if that may be a launcher.
func (x *typed) noteReader(m *memory, o *observation) {
	x.reader = tmux.Reader{}
	if m.leads {
		x.reader, _ = o.reader()
	}
}

// keepsTerminal looks, after the text was read, whether what has read it keeps the terminal.
func (f *followed) keepsTerminal(m *memory, o *observation, before tmux.Reader) tmux.Step {
	if before.ID == "" || m.served == o.on || !o.facts.alive {
		return tmux.Step{Do: tmux.Done}
	}

	now, _ := o.reader()
	waited := o.now.Sub(f.since)
	switch {
	case now.ID != "" && now.ID != before.ID, o.facts.unmatched != nil && o.facts.unmatched():
		f.passed = true
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	case now.ID == before.ID && now.Only, waited >= launchesOn:
		m.served = o.on
		return tmux.Step{Do: tmux.Done}
	case o.facts.stopping:
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}
	return tmux.Step{Do: tmux.Wait}
}

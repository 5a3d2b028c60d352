package courier

import (
	"path"
	"slices"
	"time"

	"parley"
	"parley/profile"
	"parley/tmux"
)

// A launcher can read the terminal before it gives that to the agent's program, behind a sign like that of a program.
// It is told by two facts. It goes on by itself, since it also waits for something else than its terminal: a timer, a
// download, a child. And another program has the terminal after it. Only scripts and programs that start others may
// be launchers, and only until the first message has been followed.
//
// A launcher can also read late what was typed, long after the key. So what counts is who had the terminal as the text
// went in, and whether that has it still, some time after the text was read. A daemon that does not know the first,
// since it was not there, cannot say that the text was taken.

const (
	// launchesWithin is how long after its start a program that waits for more than its terminal may still be a
	// launcher.
	launchesWithin = 10 * time.Second
	// launchesOn is how long one that has read a message may take to give its terminal away.
	launchesOn = 5 * time.Second
)

// launching holds the first message while what reads the terminal may be a launcher that goes on by itself.
func (m *memory) launching(o *observation) hold {
	began := o.on.Begun // that of a launcher which hangs as the daemon comes back counts from there, too
	if began.IsZero() {
		began = o.on.Started
	}
	if !m.leads || o.now.Sub(began) >= launchesWithin {
		return hold{}
	}
	if r, err := o.reader(); err != nil || r.Only {
		return hold{}
	}
	return held(parley.HoldStarting, "")
}

// noteReader notes what is about to read the text.
func (x *typed) noteReader(m *memory, o *observation) {
	x.reader = reader{noted: true, leads: m.leads}
	if m.leads {
		now, err := o.reader()
		x.reader.Reader, x.reader.leads = now, err == nil // else the system does not tell
	}
}

// keeps looks, so long after the text was read, whether what had the terminal as it went in keeps that.
func (x *typed) keeps(m *memory, o *observation, waited time.Duration) keeping {
	r := &x.reader
	if m.served == o.on || r.noted && !r.leads || !r.noted && o.launchedItself() {
		return keepsOn
	}

	now, err := o.reader()
	switch {
	case !r.noted && err == nil, !o.facts.alive: // it ended before it was known to be no launcher
		return keepsLost
	case passedOn(r.Reader, now), o.facts.unmatched != nil && o.facts.unmatched():
		return keepsNot
	case now.ID != "" && now.Only, waited >= launchesOn:
		m.served = o.on
		return keepsOn
	}
	return keepsYet
}

// passedOn reports whether a terminal is no longer with what had it.
func passedOn(before, now tmux.Reader) bool {
	had := before.Holders
	if before.ID != "" {
		had = []string{before.ID}
	}
	has := now.Holders
	if now.ID != "" {
		has = []string{now.ID}
	}
	return len(has) > 0 && !slices.ContainsFunc(has, func(id string) bool { return slices.Contains(had, id) })
}

// launchedItself reports whether the program that has the terminal is the one that was launched, and no launcher; or a
// known one, of which nobody doubts that.
func (o *observation) launchedItself() bool {
	if o.on.Known == nil {
		return true
	}
	argv, err := o.leader()
	command := o.facts.agent.Command
	if err != nil || len(argv) == 0 || len(command) == 0 || profile.MayLaunch(argv) {
		return false
	}
	return path.Base(argv[0]) == path.Base(command[0]) && slices.Equal(argv[1:], command[1:])
}

// keepsTerminal looks, after the text was read, whether what has read it keeps the terminal.
func (f *followed) keepsTerminal(m *memory, o *observation, x *typed) tmux.Step {
	f.keeping = x.keeps(m, o, o.now.Sub(f.since))
	switch {
	case f.keeping == keepsOn:
		return tmux.Step{Do: tmux.Done}
	case f.keeping == keepsYet && !o.facts.stopping:
		return tmux.Step{Do: tmux.Wait}
	}
	return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
}

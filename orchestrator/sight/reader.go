package sight

import (
	"path/filepath"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// Who reads a terminal is the process that does, and not the one that leads its group, or that has given it a name: an
// ssh in a script, a shell after a build, an editor or a child that asks for a password would take a text for its own.

// OtherProgram holds while the program that reads the terminal is another one than the agent's, and the operator has
// not said that it takes messages. For an adopted agent, not to know is as bad.
func (f *Facts) OtherProgram() Hold {
	if f.Ask != nil {
		f.Reader, f.untold = f.Ask()
		f.Ask = nil
	}

	switch {
	case f.Adopted && !f.Alive:
		return Held(parley.HoldExited, "started again in its pane, it gets what waits")
	case f.Adopted && f.untold != nil:
		return Held(parley.HoldOtherProgram, "something that cannot be told")
	case f.untold != nil, f.Reader.PID == 0, f.Takes(f.Reader):
		return Hold{}
	}
	return Held(strange(f.Reader), nameOf(f.Reader.Program))
}

// strange is why nothing is typed while a program has the terminal that gets nothing: it reads, or it is only there.
func strange(r tmux.Reader) parley.ReasonCode {
	switch {
	case r.Waits == tmux.ReadsNot:
		return parley.HoldNoReader
	case sh.IsShell(r.Args):
		return parley.HoldShell
	}
	return parley.HoldOtherProgram
}

// nameOf returns the name of a program, and of the script that it runs. Its other words are for the operator alone:
// everyone who has sent a message reads what holds it, and a command line can have a password.
func nameOf(p tmux.Program) string {
	name := p.File
	if len(p.Args) > 0 {
		name = p.Args[0]
	}
	name = filepath.Base(name)
	if script := profile.ScriptOf(p.Args); script != "" {
		name += " " + filepath.Base(script)
	}
	return plain.Truncate(plain.CleanLine(name), lineLength)
}

// shortLine returns the command line of a program, for people.
func shortLine(p tmux.Program) string {
	line := plain.CleanLine(sh.Line(p.Args))
	if line == "" {
		line = p.File
	}
	return plain.Truncate(line, lineLength)
}

// lineLength is how much of a command line tells a program.
const lineLength = 80

// HasOther reports whether another program than the agent's reads its terminal.
func HasOther(t *team.Terminal) bool {
	f := &Facts{Adopted: t.Adopted(), Takes: t.Takes}
	m := NewMachine()
	f.Alive = m.Alive(t)
	f.Ask = func() (tmux.Reader, error) { return m.Reader(t, time.Now()) }
	return !f.OtherProgram().None()
}

// Reader returns the program that reads the terminal of the process pid, the zero value if none is known.
func Reader(pid int) tmux.Program {
	r, err := new(tmux.Processes).ReaderOf(pid, time.Now())
	if err != nil {
		return tmux.Program{}
	}
	return r.Program
}

// Reader returns the process that reads a terminal. Where the leader of its foreground is the program of a profile with
// markers, that is it: its screen tells whatever else reads there.
func (m Machine) Reader(t *team.Terminal, since time.Time) (tmux.Reader, error) {
	if t.Profile.Name != profile.Default && t.Profile.HasMarkers() {
		if pid, argv, err := tmux.ForegroundProcess(t.Leader); err != nil || t.Profile.Runs(argv) {
			return tmux.Reader{Program: tmux.Program{Args: argv}, PID: pid, Waits: tmux.ReadsUnknown}, err
		}
	}
	return m.processes.ReaderOf(t.Leader, since)
}

package team

import (
	"testing"

	"parley/tmux"
)

// A process table: init is 1, parley's keeper is 10 and its tmux server 11, an agent's program is 20 on
// pts/2, born at 700. The user's tmux server is 30, with a shell 31 on pts/3, in which the adopted program 32 runs.
// Another terminal of the user's is 40 on pts/4.
var (
	first  = tmux.Process{PID: 1, Session: 1, Name: "systemd", Born: "1"}
	keeper = tmux.Process{PID: 10, Parent: 1, Session: 10, Args: []string{"parley", tmux.KeepCommand, "tmux"},
		Born: "600"}
	server = tmux.Process{PID: 11, Parent: 10, Session: 11, Name: "tmux: server", Born: "610"}
	coder  = tmux.Process{PID: 20, Parent: 11, Session: 20, TTY: "/dev/pts/2", Born: "700"}
	users  = tmux.Process{PID: 30, Parent: 1, Session: 30, Name: "tmux: server", Born: "710"}
	shell  = tmux.Process{PID: 31, Parent: 30, Session: 31, TTY: "/dev/pts/3", Born: "720"}
	guest  = tmux.Process{PID: 32, Parent: 31, Session: 31, TTY: "/dev/pts/3", Born: "800"}
	person = tmux.Process{PID: 40, Parent: 1, Session: 40, TTY: "/dev/pts/4", Born: "810"}
)

// sinceCoder is what is known once the first agent runs.
var sinceCoder = era{known: true, first: "700"}

var testSeats = []seat{
	{id: "coder", program: 20, born: "700", leader: 20, tty: "/dev/pts/2"},
	{id: "guest", program: 32, born: "800", leader: 31, tty: "/dev/pts/3", mark: "TMUX_PANE=%5",
		socket: "/tmp/t/default"},
}

// line traces a new process back over its ancestors.
func line(p tmux.Process, ancestors ...tmux.Process) tmux.Lineage {
	return tmux.Lineage{Line: append([]tmux.Process{p}, ancestors...)}
}

func TestWhoseProcessItIs(t *testing.T) {
	const operator, nobody = "operator", ""
	job := tmux.Process{PID: 99, Parent: 1, Session: 99, Born: "900"}
	with := func(change func(*tmux.Process)) tmux.Process {
		p := job
		change(&p)
		return p
	}
	marked := with(func(p *tmux.Process) { p.Env = []string{"PARLEY_AGENT_ID=coder"} })
	fromPane := with(func(p *tmux.Process) { p.Env = []string{"TMUX=/tmp/t/default,30,0", "TMUX_PANE=%5"} })
	elsewhere := with(func(p *tmux.Process) { p.Env = []string{"TMUX=/tmp/t/other,30,0", "TMUX_PANE=%5"} })
	onTTY := with(func(p *tmux.Process) { p.TTY = "/dev/pts/9" })
	reused := coder
	reused.Born, reused.Session, reused.TTY = "850", 40, "/dev/pts/4"

	for name, test := range map[string]struct {
		lineage tmux.Lineage
		want    string
	}{
		"a person's command": {line(job, person, first), operator},
		"in the background of a terminal": {line(with(func(p *tmux.Process) { p.TTY = "/dev/pts/4" }), first),
			operator},
		"a person's shell in the agent's pane": {line(with(func(p *tmux.Process) { p.TTY = "/dev/pts/3" }),
			shell, users, first), operator},
		"a pid that was the agent's":      {line(job, reused, first), operator},
		"nothing behind it":               {line(job, first), nobody},
		"no process":                      {tmux.Lineage{}, nobody},
		"a job of the user's tmux":        {line(job, users, first), nobody},
		"a command of parley's tmux":      {line(job, server, keeper, first), nobody},
		"a new window of parley's tmux":   {line(onTTY, server, keeper, first), nobody},
		"a new terminal under the keeper": {line(onTTY, keeper, first), nobody},
		"parley's tmux without a keeper":  {line(onTTY, server, first), nobody},
		"an agent of another workspace": {line(onTTY,
			with(func(p *tmux.Process) { p.Env = []string{"PARLEY_AGENT_ID=x"} }), first), nobody},
		"an agent's command":                    {line(job, coder, server, keeper, first), "coder"},
		"an agent's terminal within a terminal": {line(onTTY, coder, server, keeper, first), "coder"},
		"an orphan in the agent's session": {line(with(func(p *tmux.Process) { p.Session = 20 }), keeper, first),
			"coder"},
		"an orphan on the agent's terminal": {line(with(func(p *tmux.Process) { p.TTY = "/dev/pts/2" }), first),
			"coder"},
		"an orphan with the agent's mark":     {line(marked, first), "coder"},
		"a tmux server that an agent started": {line(onTTY, marked, first), "coder"},
		"a session that leads to the agent": {tmux.Lineage{Line: []tmux.Process{onTTY, first},
			Leaders: []tmux.Process{coder}}, "coder"},
		"a command of the adopted agent": {line(job, guest, shell, users, first), "guest"},
		"an orphan of the adopted agent": {
			line(with(func(p *tmux.Process) { p.Session, p.TTY = 31, "/dev/pts/3" }), first), "guest"},
		"an orphan from the adopted pane": {line(fromPane, first), "guest"},
		"an orphan of another tmux":       {line(elsewhere, first), nobody},
		"a terminal from the adopted pane": {
			line(with(func(p *tmux.Process) { p.TTY, p.Env = "/dev/pts/9", fromPane.Env }), first), operator},
	} {
		got, is := place(test.lineage, testSeats, server.PID, sinceCoder)
		if is == operators {
			got = operator
		}
		if got == "x" { // known only to its own workspace
			got = nobody
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

package team

import (
	"testing"

	"parley/internal/errand"
	"parley/tmux"
)

// A process table: init is 1, parley's keeper is 10 and its tmux server 11, an agent's program is 20 on
// pts/2, born at 700. The user's tmux server is 30, with a shell 31 on pts/3, in which the adopted program 32 runs.
// Another terminal of the user's is 40 on pts/4.
var (
	first  = tmux.Process{PID: 1, Session: 1, Born: "1"}
	keeper = tmux.Process{PID: 10, Parent: 1, Session: 10, Args: []string{"parley", tmux.KeepCommand, "tmux"},
		Born: "600"}
	server = tmux.Process{PID: 11, Parent: 10, Session: 11, Born: "610"}
	coder  = tmux.Process{PID: 20, Parent: 11, Session: 20, TTY: "/dev/pts/2", Born: "700"}
	users  = tmux.Process{PID: 30, Parent: 1, Session: 30, Born: "710"}
	shell  = tmux.Process{PID: 31, Parent: 30, Session: 31, TTY: "/dev/pts/3", Born: "720"}
	guest  = tmux.Process{PID: 32, Parent: 31, Session: 31, TTY: "/dev/pts/3", Born: "800"}
	person = tmux.Process{PID: 40, Parent: 1, Session: 40, TTY: "/dev/pts/4", Born: "810"}
)

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
	errands := with(func(p *tmux.Process) { p.PID, p.Env = 98, []string{errand.Mark} })
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
		"a pid that was the agent's":          {line(job, reused, first), operator},
		"cron, a container, its parents gone": {line(job, first), operator},
		"put into a container from outside":   {line(tmux.Process{PID: 99, Session: 99}), operator},
		"an editor":                           {line(job, tmux.Process{PID: 60, Parent: 1}, first), operator},
		"a job of the user's tmux":            {line(job, users, first), operator},
		"no process":                          {tmux.Lineage{}, nobody},
		"an errand":                           {line(errands, first), nobody},
		"below an errand, in a terminal":      {line(onTTY, errands, first), nobody},
		"an orphan of an errand": {tmux.Lineage{Line: []tmux.Process{job, first},
			Leaders: []tmux.Process{errands}}, nobody},
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
		"an orphan of another tmux":       {line(elsewhere, first), operator},
		"a terminal from the adopted pane": {
			line(with(func(p *tmux.Process) { p.TTY, p.Env = "/dev/pts/9", fromPane.Env }), first), "guest"},
		"a job of a person's shell in the agent's pane": {line(fromPane, shell, users, first), operator},
	} {
		got, is := place(test.lineage, testSeats, server.PID)
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

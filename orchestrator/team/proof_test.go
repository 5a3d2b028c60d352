package team

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/errand"
	"parley/internal/must"
	"parley/tmux"
)

// root is what a process of unknown origin hangs below: its ancestors from the nearest on.
type root struct {
	line []tmux.Process
	env  []string // of the processes below it
	unit string

	// Whose a process there is without a terminal, in one that `script` made, and in another one.
	bare, recorded, typed whose
}

// run makes a process that was started after the first agent, unless its birth says otherwise.
func run(pid int, name, born string) tmux.Process {
	return tmux.Process{PID: pid, Parent: 1, Session: pid, Name: name, UID: 1000, Born: born}
}

// ofRoot makes a service of root's that is older than all agents.
func ofRoot(pid int, name string) tmux.Process {
	p := run(pid, name, "5")
	p.UID = 0
	return p
}

const (
	remote = "SSH_CONNECTION=192.0.2.7 50000 192.0.2.1 22"
	local  = "SSH_CONNECTION=192.0.2.1 50000 192.0.2.1 22"
	loop   = "SSH_CONNECTION=::1 50000 ::1 22"
)

// roots are the places below which a process may be found that no agent's mark is on. The first agent was
// born at 700.
var roots = map[string]root{
	"nothing: its parents have ended": {line: []tmux.Process{first}, typed: operators},
	"nothing, in a container":         {line: []tmux.Process{run(1, "sleep", "1")}, typed: operators},
	"a user's systemd":                {line: []tmux.Process{run(50, "systemd", "5"), first}, typed: operators},
	"systemd-run": {line: []tmux.Process{run(50, "systemd", "5"), first},
		unit: "/user.slice/user@1000.service/app.slice/run-u12.service"},
	"systemd-run --scope": {line: []tmux.Process{first}, unit: "/user.slice/run-r6a.scope"},
	"at":                  {line: []tmux.Process{ofRoot(50, "atd"), ofRoot(51, "atd"), first}},
	"at, with its parent gone": {line: []tmux.Process{first},
		unit: "/system.slice/atd.service"},
	"cron":                   {line: []tmux.Process{ofRoot(50, "cron"), ofRoot(51, "cron"), first}},
	"cron, as the container": {line: []tmux.Process{ofRoot(1, "crond")}},
	"busybox crond": {line: []tmux.Process{{PID: 50, Name: "busybox", Args: []string{"busybox", "crond"},
		Born: "5"}, first}},
	"D-Bus":               {line: []tmux.Process{run(50, "dbus-daemon", "5"), first}, typed: operators},
	"another tmux server": {line: []tmux.Process{run(50, "tmux: server", "5"), first}, typed: operators},
	"screen":              {line: []tmux.Process{run(50, "screen", "5"), first}, typed: operators},
	"a container's init":  {line: []tmux.Process{run(50, "tini", "5"), first}, typed: operators},
	"ssh to this machine": {line: []tmux.Process{ofRoot(50, "sshd"), ofRoot(51, "sshd"), first},
		env: []string{local}},
	"ssh to loopback": {line: []tmux.Process{ofRoot(50, "sshd"), ofRoot(51, "sshd"), first},
		env: []string{loop}},
	"ssh without its mark": {line: []tmux.Process{ofRoot(50, "sshd"), first}},
	"an ssh server of the agent's own": {line: []tmux.Process{run(50, "sshd", "900"), first},
		env: []string{remote}, recorded: unknown, typed: operators},
	"something that lost its parent, below a service": {line: []tmux.Process{
		run(50, "sh", "900"), ofRoot(51, "atd"), first}},
	"a service that an old shell runs": {line: []tmux.Process{
		run(50, "cron", "900"), run(51, "bash", "5"), first}},

	"ssh from another machine": {line: []tmux.Process{
		run(50, "sshd", "900"), ofRoot(51, "sshd"), ofRoot(52, "sshd"), first},
		env: []string{remote}, bare: operators, recorded: operators, typed: operators},
	"a script that began before": {line: []tmux.Process{run(50, "sh", "5"), first},
		bare: operators, recorded: operators, typed: operators},
	"a runner of jobs that began before": {line: []tmux.Process{run(49, "bash", "900"), run(50, "Runner.Worker", "5"),
		first},
		bare: operators, recorded: operators, typed: operators},
	"an editor that began before": {line: []tmux.Process{run(50, "code", "5"), run(51, "systemd", "4"), first},
		bare: operators, recorded: operators, typed: operators},
	"docker exec": {line: []tmux.Process{{PID: 50, Parent: 0, Session: 50, Name: "sh", Born: "900"}},
		bare: operators, recorded: operators, typed: operators},
	"a cron that docker exec started": {line: []tmux.Process{{PID: 50, Parent: 0, Session: 50, Name: "cron",
		Born: "900"}}},
}

func (r root) below(with ...tmux.Process) tmux.Lineage {
	l := tmux.Lineage{Unit: r.unit}
	for _, p := range with {
		p.Env = r.env
		l.Line = append(l.Line, p)
	}
	l.Line = append(l.Line, r.line...)
	return l
}

// Each way in which a process can come to call, with and without a terminal. An agent that is launched stays
// below the keeper; this is about what others run for it, and about what must stay the operator's.
func TestAgeAndOriginDecideWhatNothingElseTells(t *testing.T) {
	call := run(99, "parley", "901")
	onTTY := call
	onTTY.TTY = "/dev/pts/9"
	for name, r := range roots {
		for kind, test := range map[string]struct {
			lineage tmux.Lineage
			want    whose
		}{
			"without a terminal":      {r.below(call), r.bare},
			"below a shell":           {r.below(call, run(98, "sh", "900")), r.bare},
			"in a terminal of script": {r.below(onTTY, run(98, "script", "900")), r.recorded},
			"in a terminal of script's sh": {r.below(onTTY, run(98, "script", "900"), run(97, "sh", "899")),
				r.recorded},
			"in a terminal": {r.below(onTTY), r.typed},
		} {
			if _, got := place(test.lineage, nil, 0, sinceCoder); got != test.want {
				t.Errorf("%s, %s: got %d, want %d", name, kind, got, test.want)
			}
			if _, got := place(test.lineage, nil, 0, era{known: true}); got != operators {
				t.Errorf("%s, %s, without any agent yet: got %d, want the operator's", name, kind, got)
			}
			if _, got := place(test.lineage, nil, 0, era{}); got == operators && r.typed != operators {
				t.Errorf("%s, %s, where no boot is known: got the operator's", name, kind)
			}
		}
	}
}

// A session is entered only by descent, also by what has lost its parents.
func TestSessionOfAnOldLeaderIsTheOperators(t *testing.T) {
	call := run(99, "parley", "901")
	for name, test := range map[string]struct {
		leader tmux.Process
		want   whose
	}{
		"an old shell":         {run(50, "bash", "5"), operators},
		"a container's script": {run(1, "sh", "1"), operators},
		"a young shell":        {run(50, "bash", "900"), unknown},
		"a service":            {run(50, "cron", "5"), unknown},
		"a container's init":   {run(1, "tini", "1"), unknown},
	} {
		call.Session = test.leader.PID
		l := tmux.Lineage{Line: []tmux.Process{call, {PID: 1}}, Leaders: []tmux.Process{test.leader}}
		if test.leader.PID == 1 {
			l = tmux.Lineage{Line: []tmux.Process{call, test.leader}}
		}
		if _, got := place(l, nil, 0, sinceCoder); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

// Whatever a mark of an agent is on stays the agent's, before and after the first one is known.
func TestMarksComeBeforeAgeAndOrigin(t *testing.T) {
	call := run(99, "parley", "901")
	for name, r := range roots {
		for _, since := range []era{sinceCoder, {known: true}, {}} {
			marked := r.below(call)
			marked.Line[0].Env = append(slices.Clone(r.env), agentMark+"coder")
			if id, got := place(marked, testSeats, 11, since); got != agents || id != "coder" {
				t.Errorf("%s, with an agent's environment: got %d of %q", name, got, id)
			}

			kept := r.below(call, keeper)
			if _, got := place(kept, testSeats, 11, since); got != keepers {
				t.Errorf("%s, below the keeper: got %d", name, got)
			}

			own := r.below(call, coder)
			if id, got := place(own, testSeats, 11, since); got != agents || id != "coder" {
				t.Errorf("%s, below the agent: got %d of %q", name, got, id)
			}
		}
	}
}

// What the daemon runs for a moment is not the operator's, whatever it hangs below and whatever terminal it makes.
func TestErrandsAreNotTheOperators(t *testing.T) {
	call, script := run(99, "parley", "901"), run(98, "script", "900")
	script.TTY = "/dev/pts/9"
	errands := run(97, "sh", "900")
	errands.Env = []string{errand.Mark}
	for name, r := range roots {
		for _, since := range []era{sinceCoder, {known: true}, {}} {
			for way, l := range map[string]tmux.Lineage{
				"its own":              r.below(errands),
				"without the variable": {Line: append([]tmux.Process{call, errands}, r.line...), Unit: r.unit},
				"in a terminal": {
					Line: append([]tmux.Process{call, script, errands}, r.line...), Unit: r.unit,
				},
				"an orphan of its leader": {Line: []tmux.Process{call, first}, Leaders: []tmux.Process{errands}},
			} {
				if way == "its own" {
					l.Line[0].Env = errands.Env
				}
				if _, got := place(l, testSeats, 11, since); got == operators {
					t.Errorf("%s, %s: it is the operator's", name, way)
				}
			}
		}
	}
}

// A model behind `parley mcp` is the operator only in a terminal.
func TestBridgeOfAModelIsNotTheOperatorForItsAge(t *testing.T) {
	for args, want := range map[string]whose{
		"parley mcp":                  unknown,
		"/usr/bin/parley --json mcp":  unknown,
		"parley --workspace /src mcp": unknown,
		"parley send mcp hello":       operators,
		"parley agents":               operators,
	} {
		p := run(99, "parley", "901")
		p.Args = strings.Fields(args)
		l := tmux.Lineage{Line: []tmux.Process{p, run(50, "code", "5"), first}}
		if _, got := place(l, nil, 0, sinceCoder); got != want {
			t.Errorf("%s: got %d, want %d", args, got, want)
		}
		if _, got := place(l, nil, 0, era{known: true}); got != want {
			t.Errorf("%s, before any agent: got %d, want %d", args, got, want)
		}
	}
}

func TestPastRemembersTheOldestAgentOfThisBoot(t *testing.T) {
	if tmux.Boot() == "" {
		t.Skip("this system does not tell one boot from another")
	}
	dirs := []string{t.TempDir(), t.TempDir()}
	first := func() string { return OpenPast(dirs, nil).era().first }

	if got := first(); got != "" {
		t.Errorf("before the first agent: got %q", got)
	}
	OpenPast(dirs[:1], nil).Note("900")
	OpenPast(dirs[1:], nil).Note("500")
	if got := first(); got != "500" {
		t.Errorf("from two directories: got %q, want the older", got)
	}
	past := OpenPast(dirs, nil)
	past.Note("600")
	past.Note("400")
	if got := first(); got != "400" {
		t.Errorf("after an older one was adopted: got %q, want 400", got)
	}

	for _, dir := range dirs {
		must.Do(t, os.WriteFile(filepath.Join(dir, pastFile), []byte(`{"boot":"another","first":"1"}`), 0o600))
	}
	if got := first(); got != "" {
		t.Errorf("after a restart of the machine: got %q", got)
	}
}

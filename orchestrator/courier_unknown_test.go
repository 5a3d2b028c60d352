package orchestrator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// unknown is a program that generic knows nothing of, and what it shows when it is ready.
type unknown struct {
	name, needs, ready string
	command            []string
	held               parley.ReasonCode // "": the message is typed
}

// git runs git in a directory, without the user's own configuration.
func git(dir string, args ...string) []string {
	return append([]string{"git", "-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@example.org",
		"-c", "core.editor=vim -i NONE", "-c", "commit.gpgsign=false"}, args...)
}

func TestUnknownProgramsAreNotHarmed(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file := filepath.Join(te.dir, "file")
	must.Do(t, os.WriteFile(file, []byte("the first line\n"), 0o600))
	te.repository(filepath.Join(te.dir, "repository"))

	for _, u := range []unknown{
		{"pager", "less", "the first line", []string{"sh", "-c", "less " + file + "; true"}, parley.HoldKeysProgram},
		{"editor", "vim", "the first line", []string{"vim", "-u", "NONE", "-i", "NONE", file}, parley.HoldKeysProgram},
		{"rebase", "vim", "pick ", git(filepath.Join(te.dir, "repository"), "rebase", "-i", "HEAD~1"),
			parley.HoldKeysProgram},
		{"secret", "bash", "Token:", []string{"bash", "-c", "read -s -p Token: x; echo; echo got $x; cat"},
			parley.HoldSecret},
		{"question", "bash", "[y/N]", []string{"bash", "-c", "read -p 'Go on? [y/N] ' x; echo got $x; cat"},
			parley.HoldQuestion},
		{"python", "python3", ">>>", []string{"python3", "-q"}, ""},
		{"cat", "cat", "", []string{"cat", "-u"}, ""},
	} {
		t.Run(u.name, func(t *testing.T) {
			if _, err := exec.LookPath(u.needs); err != nil {
				t.Skipf("no %s here", u.needs)
			}
			te.leavesAlone(t, u)
		})
	}

	if text, err := os.ReadFile(file); err != nil || string(text) != "the first line\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// leavesAlone launches a program, sends it a message, and checks what becomes of that.
func (te *testTeam) leavesAlone(t *testing.T, u unknown) {
	req := parley.LaunchAgentRequest{Name: u.name, Profile: "generic", Command: u.command}
	must.Have(te.LaunchAgent(te.operator(), req))(t)
	tmuxtest.WaitFor(t, te.pane(u.name), func(s tmux.Screen) bool { return tmuxtest.Shows(s, u.ready) })

	id := te.send(u.name, "hello there")
	if u.held == "" {
		if d := te.arrived(id); d.State != parley.DeliverySubmitted ||
			d.Steps[len(d.Steps)-1].Code != parley.ProofRead {
			t.Errorf("delivery is %s with %+v, want submitted and no more", d.State, d.Steps)
		}
		return
	}

	var d parley.Delivery
	tmuxtest.Poll(t, func() bool { d = te.delivery(id); return d.ReasonCode == u.held },
		func() string { return "it is " + string(d.State) + " for " + d.Reason })
	screen, err := te.pane(u.name).Screen(t.Context(), tmux.ScreenOptions{})
	if err != nil || strings.Contains(screen.Text(), "hello there") {
		t.Errorf("it was typed all the same (%v):\n%s", err, screen.Text())
	}

	if u.held != parley.HoldKeysProgram {
		te.inState(u.name, parley.StateWaiting)
	}
}

// repository makes a repository with two commits.
func (te *testTeam) repository(dir string) {
	te.t.Helper()
	for _, args := range [][]string{
		{"init", "-q", dir}, git(dir, "commit", "-q", "--allow-empty", "-m", "one")[1:],
		git(dir, "commit", "-q", "--allow-empty", "-m", "two")[1:],
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			te.t.Skipf("git %q: %v: %s", args, err, out)
		}
	}
}

// Launchers that read their terminal behind a sign before the program has it. What they have read is not told as
// submitted.
func TestALauncherThatReadsIsNotTheProgram(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	const (
		note = `require('fs').appendFileSync(process.env.TOOK,l);`
		ask  = `const rl=require('readline').createInterface({input:process.stdin,output:process.stdout,prompt:'❯ ` +
			`'});rl.prompt();`
		start  = `rl.close();require('child_process').spawn('cat',['-u'],{stdio:'inherit'})`
		python = "import os,sys,threading,time\n" +
			"def go():\n time.sleep(2); os.execvp('cat',['cat','-u'])\n" +
			"threading.Thread(target=go,daemon=True).start()\n" +
			"while True: open(os.environ['TOOK'],'a').write(input('❯ '))"
	)

	for name, argv := range map[string][]string{
		"node-waits": {"node", "-e", ask + `rl.on('line',l=>{` + note + `});setTimeout(()=>{` + start + `},2000)`},
		"node-asks":  {"node", "-e", ask + `rl.on('line',l=>{` + note + `setTimeout(()=>{` + start + `},500)})`},
		"bash-asks":  {"bash", "-c", `read -e -p '❯ ' x; echo "$x" >$TOOK; exec cat -u`},
		"bash-waits": {"bash", "-c", `read -e -t 2 -p '❯ ' x; [ -z "$x" ] || echo "$x" >$TOOK; exec cat -u`},
		"python":     {"python3", "-c", python},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(argv[0]); err != nil {
				t.Skip(err)
			}
			took := filepath.Join(te.dir, name)
			req := parley.LaunchAgentRequest{Name: name, Command: append([]string{"env", "TOOK=" + took}, argv...)}
			must.Have(te.LaunchAgent(te.operator(), req))(t)
			id := te.send(name, "hello there")

			var d parley.Delivery
			tmuxtest.Poll(t, func() bool {
				d = te.delivery(id)
				return d.State == parley.DeliverySubmitted || d.State == parley.DeliveryUnconfirmed
			}, func() string { return "it is " + string(d.State) + " for " + d.Reason })
			text, _ := os.ReadFile(took)
			if d.State == parley.DeliverySubmitted && len(text) > 0 {
				t.Errorf("it is %s (%s), and the launcher has read %q", d.State, d.Reason, text)
			}
		})
	}
}

// A program behind a sign that is busy until a file is there, and reads only then what was typed meanwhile. What it
// reads is the agent's if it keeps the terminal, and not if it gives that to another program, or if nobody knows.
func TestWhoKeepsTheTerminalHasTheText(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	te := newTeam(t)
	const late = "import os,sys,termios,time\n" +
		"mode=termios.tcgetattr(0); mode[3]&=~termios.ICANON; termios.tcsetattr(0,termios.TCSANOW,mode)\n" +
		"print('❯ ',end='',flush=True)\n" +
		"while not os.path.exists(os.environ['GO']): time.sleep(.05)\n" +
		"open(os.environ['TOOK'],'w').write(sys.stdin.readline())\n"
	const stays, goes = "while True: os.read(0,4096)", "time.sleep(.5); os.execvp('cat',['cat','-u'])"

	for _, c := range []struct {
		name, program string
		restart       bool // the daemon, between the key and the look at who has the terminal
		state         parley.DeliveryState
		code          parley.ReasonCode
	}{
		{"stays", late + stays, false, parley.DeliverySubmitted, parley.ProofRead},
		{"goes", late + goes, false, parley.DeliveryUnconfirmed, parley.EndedUnread},
		{"stays-unseen", late + stays, true, parley.DeliveryUnconfirmed, parley.EndedLostReader},
		{"goes-unseen", late + goes, true, parley.DeliveryUnconfirmed, parley.EndedLostReader},
	} {
		took, ready := filepath.Join(te.dir, c.name), filepath.Join(te.dir, c.name+".go")
		argv := []string{"env", "TOOK=" + took, "GO=" + ready, "python3", "-c", c.program}
		must.Have(te.LaunchAgent(te.operator(), parley.LaunchAgentRequest{Name: c.name, Command: argv}))(t)
		id := te.send(c.name, "hello there")
		seen := func() string { d := te.delivery(id); return "it is " + string(d.State) + " for " + d.Reason }

		tmuxtest.Poll(t, func() bool { return te.isEntered(c.name) }, seen)
		if c.restart {
			te.close()
		} else {
			te.reach(id, parley.DeliveryUnconfirmed)
		}
		must.Do(t, os.WriteFile(ready, nil, 0o600))
		if c.restart {
			te.open()
		}

		tmuxtest.Poll(t, func() bool { text, _ := os.ReadFile(took); return len(text) > 0 }, seen)
		next := te.send(c.name, "and then")
		te.reach(next, parley.DeliverySubmitted)
		if d := te.reach(id, c.state); d.Steps[len(d.Steps)-1].Code != c.code {
			t.Errorf("%s: it is %s for %s (%s), want %s", c.name, d.State, d.Steps[len(d.Steps)-1].Code, d.Reason,
				c.code)
		}
		te.stop(c.name)
	}
}

// The operator's one retry settles that a program which shows nothing of what is typed takes messages.
func TestAProgramThatShowsNothingTakesMessagesAfterOneRetry(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	te := newTeam(t)
	got := filepath.Join(te.dir, "got")
	const program = "import os,sys,tty\ntty.setraw(0)\nprint('ready',end='\\r\\n',flush=True)\n" +
		"while True: open(sys.argv[1],'ab').write(os.read(0,4096))"
	req := parley.LaunchAgentRequest{Name: "silent", Profile: "generic", Command: []string{"python3", "-c", program,
		got}}
	must.Have(te.LaunchAgent(te.operator(), req))(t)
	tmuxtest.WaitFor(t, te.pane("silent"), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })

	reach := func(id string, state parley.DeliveryState, code parley.ReasonCode) {
		t.Helper()
		var d parley.Delivery
		tmuxtest.Poll(t, func() bool {
			d = te.delivery(id)
			return d.State == state &&
				(code == "" || d.ReasonCode == code)
		},
			func() string { return "it is " + string(d.State) + " for " + d.Reason })
	}
	one, two := te.send("silent", "one"), te.send("silent", "two")
	reach(one, parley.DeliveryUnconfirmed, parley.EndedNotEntered)
	reach(two, parley.DeliveryHeld, parley.HoldUnsent)
	must.Have(te.RetryDelivery(te.operator(), parley.RetryDeliveryRequest{MessageID: one}))(t)
	for _, id := range []string{one, two, te.send("silent", "three")} {
		reach(id, parley.DeliverySubmitted, "")
	}

	text := string(must.Have(os.ReadFile(got))(t))
	if n := strings.Count(text, "\r"); n != 3 {
		t.Errorf("the program was given %d lines, want 3: %q", n, text)
	}
}

package orchestrator

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/program/door"
	"parley/program/profile"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// A launch opens the program's own door, for the user alone, and not where the user has one already.
func TestLaunchOpensTheDoorOfItsProgram(t *testing.T) {
	t.Parallel()
	r := newRobo(t, tmuxtest.Agent{})
	profiles := must.Have(r.opts.Profiles.With("robo", []byte(
		"door: {kind: opencode, args: ['--port={{.Port}}'], env: {ROBO_SECRET: '{{.Secret}}'}, own: [--mine]}")))(t)
	r.reopen(func(o *Options) { o.Profiles = profiles })

	first := r.opened(nil)
	if second := r.opened(nil); second.Secret == first.Secret || len(first.Secret) < 20 {
		t.Errorf("the secrets are %q and %q, want one of each launch", first.Secret, second.Secret)
	}

	// An agent that launches another one has its own password in its environment.
	if l := r.opened(map[string]string{"OTHER_SECRET": profile.NewSecret()}); l.Port == 0 {
		t.Error("the password of another agent keeps it closed")
	}
	if l := r.opened(map[string]string{"--door": "never"}); l.Port != 0 {
		t.Errorf("it opened %+v although that is never used", l)
	}

	for _, own := range []map[string]string{{"ROBO_SECRET": "mine"}, {"ROBO_SECRET": ""}, {"--mine": "1"}} {
		if l := r.opened(own); l.Port != 0 {
			t.Errorf("with %v it opened %+v over the user's own", own, l)
		}
	}
}

// opened launches robo with more variables, or flags, and returns what its door was opened with.
func (r *robo) opened(own map[string]string) (l door.Launch) {
	r.t.Helper()
	req := parley.LaunchAgentRequest{
		Name: "ann", Profile: "robo", Command: r.hidden("true"), Env: map[string]string{},
	}
	for name, value := range own {
		if name == "--door" {
			req.Door = value
		} else if strings.HasPrefix(name, "-") {
			req.Command = append(req.Command, name+"="+value)
		} else {
			req.Env[name] = value
		}
	}
	res := must.Have(op.LaunchAgent.Call(r.operator(), r, req))(r.t)
	r.inState("ann", parley.StateIdle)
	defer func() { must.Have(op.StopAgent.Call(r.operator(), r, parley.StopAgentRequest{Agent: "ann"}))(r.t) }()

	words := string(must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", res.PID)))(r.t))
	env := string(must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/environ", res.PID)))(r.t))
	if strings.Contains(env, "\x00OTHER_SECRET=") {
		r.t.Error("it has inherited the password of another agent's door")
	}
	file := filepath.Join(r.opts.LaunchDir, "agents", res.AgentID, "door.json")
	text, err := os.ReadFile(file)
	if err != nil {
		if strings.Contains(words, "--port=") {
			r.t.Errorf("it was launched with %q, and nothing says so", words)
		}
		return l
	}

	must.Do(r.t, json.Unmarshal(text, &l))
	if mode := must.Have(os.Stat(file))(r.t).Mode().Perm(); mode != 0o600 {
		r.t.Errorf("%s has the mode %o", file, mode)
	}
	if !strings.Contains(words, "--port="+strconv.Itoa(l.Port)) || strings.Contains(words, l.Secret) {
		r.t.Errorf("the arguments are %q, want the port and not the secret of %+v", words, l)
	}
	if !strings.Contains(env, "\x00ROBO_SECRET="+l.Secret+"\x00") {
		r.t.Errorf("the secret is not in its environment")
	}

	return l
}

// stopped suspends a process while f runs.
func stopped(t *testing.T, pid int, f func()) {
	t.Helper()
	if pid < 2 {
		t.Fatalf("process %d is no tmux server", pid)
	}
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	f()
}

// looksAt asks for an agent's terminal in both ways and checks that each error says that tmux
// does not answer, and what to do.
func (te *testTeam) looksAt(name, pid string) {
	te.t.Helper()
	_, err := op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: name})
	_, attach := op.GetAttachInfo.Call(te.operator(), te, parley.AttachInfoRequest{Agent: name})
	for what, err := range map[string]error{"read": err, "attach": attach} {
		e := parley.AsError(err)
		if parley.ErrorCode(err) != parley.TmuxUnavailable || !strings.Contains(e.Message, "does not answer") ||
			!strings.Contains(e.Action, "kill -CONT "+pid) {
			te.t.Errorf("%s: got %v, %+v", what, err, e)
		}
	}
}

func TestHungTmuxIsReportedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	if te.terminals.AnswerTime != 10*time.Second {
		t.Errorf("a person waits for %s", te.terminals.AnswerTime)
	}

	te.terminals.AnswerTime = 100 * time.Millisecond
	te.launch("coder", "framed", tmuxtest.Agent{})
	pid, _, _ := strings.Cut(te.terminals.Server().Instance(), "/")
	n, _ := strconv.Atoi(pid)
	stopped(t, n, func() { te.looksAt("coder", pid) })
	te.terminals.AnswerTime = tmuxtest.Patience
	if _, err := op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: "coder"}); err != nil {
		t.Errorf("once it goes on: %v", err)
	}
}

func TestHungUserTmuxIsReported(t *testing.T) {
	t.Parallel()
	te, u, _, _ := adopted(t)
	te.terminals.AnswerTime = 100 * time.Millisecond
	pid := u.run("display-message", "-p", "#{pid}")
	n, _ := strconv.Atoi(pid)
	stopped(t, n, func() { te.looksAt("coder", pid) })
}

// A person may have opened a window in an agent's session and left it there.
func TestAttachShowsTheAgentAndNotAPersonsWindow(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.tmuxRun("new-window", "-t", "=coder:", "cat")

	info := must.Have(op.GetAttachInfo.Call(te.operator(), te, parley.AttachInfoRequest{Agent: "coder"}))(t)
	attach := exec.Command(info.Command[0], slices.Insert(slices.Clone(info.Command[1:]), 0, "-C")...)
	until := must.Have(attach.StdinPipe())(t) // tmux detaches at its end
	must.Do(t, attach.Start())
	defer func() { must.Do(t, until.Close()); _ = attach.Wait() }()

	current, want := "", te.pane("coder").ID()
	tmuxtest.Poll(t, func() bool {
		out := must.Have(tmuxCommand(te, "display-message", "-p", "-t", "=coder:", "#{pane_id}").Output())(t)
		current = strings.TrimSpace(string(out))
		return current == want
	}, func() string { return "it shows " + current + ", want " + want })
}

// chooser is a program whose list no profile knows. It writes each key that it reads into a file. Enter ends
// the list, and so does x; then its composer is open.
const chooser = `stty raw -echo; m=0
draw() {
	printf '\033[2J\033[HPick one of these\r\n'
	for i in 0 1 2; do [ $i = $m ] && printf '* ' || printf '  '; printf 'item %d\r\n' $i; done
}
draw
while IFS= read -rsn1 key; do
	case "$key" in
	B) m=$((m+1)); echo Down >>"$0"; draw ;;
	x) echo x >>"$0"; printf '\033[2J\033[Hcomposer>' ;;
	'') echo "Enter $m" >>"$0"; printf '\033[2J\033[Hcomposer>' ;;
	esac
done`

// chooses launches the chooser, and returns the file of its keys, and the id of its screen.
func (te *testTeam) chooses() (file, screen string) {
	te.t.Helper()
	file = filepath.Join(te.t.TempDir(), "keys")
	must.Have(op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{
		Name: "coder", Profile: "framed", Command: []string{"bash", "-c", chooser, file},
	}))(te.t)
	tmuxtest.WaitFor(te.t, te.pane("coder"), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "item 2") })

	tmuxtest.Poll(te.t, func() bool {
		res := must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder"}))(te.t)
		screen = res.ScreenID
		return screen != "" && res.Dialog == nil
	}, func() string { return "its screen takes no keys" })
	return file, screen
}

func keysIn(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
}

// wantTold fails unless a refusal says exactly which keys went in.
func wantTold(t *testing.T, err error, file string) {
	t.Helper()
	want := "nothing was sent"
	if keys := keysIn(t, file); len(keys) > 0 {
		want = "only " + strings.Join(keys, ", ") + " was sent"
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want that %s", err, want)
	}
}

func TestUnknownScreenTakesKeysWhileItIsTheSame(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file, screen := te.chooses()
	press := func(screen string, keys ...string) (*parley.AnswerDialogResult, error) {
		return op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder", Dialog: screen,
			Keys: keys})
	}

	if _, err := press("00000000", "Enter"); parley.ErrorCode(err) != parley.DialogChanged {
		t.Errorf("keys for another screen: got %v, want %s", err, parley.DialogChanged)
	} else {
		wantTold(t, err, file)
	}
	if got := keysIn(t, file); len(got) > 0 {
		t.Errorf("it was sent %q, want nothing", got)
	}

	res := must.Have(press(screen, "Down", "Down", "Enter"))(t)
	if want := []string{"Down", "Down", "Enter 2"}; !slices.Equal(keysIn(t, file), want) ||
		res.Answered != "Down, Down, Enter" {
		t.Errorf("it was sent %q, and the answer is %+v, want %q", keysIn(t, file), res, want)
	}
	if _, err := press(res.ScreenID, "Enter"); err == nil {
		t.Error("an open composer took a key")
	}
}

// The second key is for what the first one shows, and not for what opens meanwhile.
func TestKeysStopWhereTheScreenBecomesAnother(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file, screen := te.chooses()
	_, err := op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder", Dialog: screen,
		Keys: []string{"x", "Enter"}})
	if parley.ErrorCode(err) != parley.DialogChanged {
		t.Errorf("got %v, want %s", err, parley.DialogChanged)
	}
	wantTold(t, err, file)
	if got := keysIn(t, file); !slices.Equal(got, []string{"x"}) {
		t.Errorf("it was sent %q, want x", got)
	}
}

// Two who answer the same at once: what the second one would press is for a screen that the first one closes.
func TestOfTwoAnswersAtOnceOneIsGiven(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file, screen := te.chooses()

	var all sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		all.Go(func() {
			_, errs[i] = op.AnswerDialog.Call(te.operator(), te,
				parley.AnswerDialogRequest{Agent: "coder", Dialog: screen, Keys: []string{"Down", "Enter"}})
		})
	}
	all.Wait()

	refused := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if refused < 0 || errs[1-refused] != nil {
		t.Errorf("got %v, want one refusal", errs)
	}
	if got := keysIn(t, file); !slices.Equal(got, []string{"Down", "Enter 1"}) {
		t.Errorf("it was sent %q, want one answer", got)
	}
}

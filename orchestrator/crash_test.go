package orchestrator

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/responder"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// crashDaemon as the first argument makes the test binary a daemon for the test to kill. It
// sends each line that it reads and prints the messages that it accepted.
const crashDaemon = "_crash-daemon"

// crashTeam configures such a daemon.
type crashTeam struct {
	Dir              string
	Binary, Path, At string   // of tmux.Options
	Env              []string // of tmux
	Model            string   // address of the model of a responder DM; "" for none
	URL, Host        string   // of the database, if it is on a server
}

func runCrashDaemon(arg string) int {
	var ct crashTeam
	if err := json.Unmarshal([]byte(arg), &ct); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := ct.run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (ct *crashTeam) run(in io.Reader, out io.Writer) error {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(ct.Dir, "parley.db"), URL: ct.URL, Host: ct.Host})
	if err != nil {
		return err
	}

	profiles, err := crashProfiles()
	if err != nil {
		return err
	}

	executable, err := os.Executable()
	if err != nil {
		return err
	}
	opts := Options{
		Store:      s,
		Profiles:   profiles,
		Executable: executable,
		Workspace:  ct.Dir,
		LaunchDir:  filepath.Join(ct.Dir, "launch"),
		Host:       "test",
		Tmux:       tmux.Options{Binary: ct.Binary, Path: ct.Path, Dir: ct.At, Env: ct.Env},
	}

	if ct.Model != "" {
		opts.Model, opts.Responders = responder.New(
			responder.Options{Getenv: func(string) string { return "" }},
		), []parley.DeclaredResponder{
			answeredAt(ct.Model),
		}
	}

	o, err := New(ctx, opts)
	if err != nil {
		return err
	}

	ctx = parley.WithCaller(ctx, o.rooms.roster.Operator())
	fmt.Fprintln(out, "ready")
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if program, ok := strings.CutPrefix(lines.Text(), crashHandoff); ok {
			go handOverIn(ctx, o, program)
			fmt.Fprintln(out, "begun")
			continue
		}
		to, text, _ := strings.Cut(lines.Text(), " ")
		req := parley.SendMessageRequest{To: parley.Names{to}, Text: text, IdempotencyKey: text}
		if strings.HasPrefix(to, "#") {
			req.To, req.ThreadID = nil, to[1:]
		}

		res, err := op.SendMessage.Call(ctx, o, req)
		if err != nil {
			return err
		}

		fmt.Fprintln(out, res.MessageID)
	}

	return nil
}

func crashProfiles() (profile.Set, error) {
	set, err := profile.Builtin()
	if err != nil {
		return set, err
	}
	if set, err = set.With("framed", []byte(framedProfile)); err != nil {
		return set, err
	}
	executable, err := os.Executable()
	if err != nil {
		return set, err
	}
	return handingProfiles(set, executable)
}

// handOverIn hands coder over in a crashing daemon.
func handOverIn(ctx context.Context, o *Orchestrator, program string) {
	name, command, _ := strings.Cut(program, " ")
	req := parley.HandoffAgentRequest{Agent: "coder", To: name, Record: true}
	if err := json.Unmarshal([]byte(command), &req.Command); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if _, err := op.HandoffAgent.Call(ctx, o, req); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// TestKilledDaemonLosesNothingAndTypesNothingTwice kills a daemon with SIGKILL at
// random moments while it accepts and types messages, and starts it again.
func TestKilledDaemonLosesNothingAndTypesNothingTwice(t *testing.T) {
	t.Parallel()
	const agents = 4 // few enough messages that the rest is typed in seconds
	te := newTeam(t)
	logs := map[string]string{}
	for i := range agents {
		name := fmt.Sprintf("agent%d", i)
		logs[name] = te.launch(name, "framed", tmuxtest.Agent{Shows: true})
	}

	te.close()
	accepted := map[string]string{} // message id → agent
	for range tries(50) {
		te.crashOnce(t, logs, accepted)
	}

	te.open()
	te.settle(t, accepted)
	te.check(t, logs, accepted)
}

// tries is how often something is tried at random: a check tries it so often, and a short run a quarter of that.
func tries(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// crashOnce runs a daemon, sends as fast as it accepts, and kills it.
func (te *testTeam) crashOnce(t *testing.T, logs, accepted map[string]string) {
	t.Helper()
	cmd, in, answers := te.startCrashDaemon(t, "")
	kill := time.AfterFunc(time.Duration(rand.IntN(250))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()

	names := slices.Sorted(maps.Keys(logs))
	for n := 0; n < 12; n++ {
		to := names[n%len(names)]
		if _, err := fmt.Fprintf(in, "%s message %d\n", to, n); err != nil || !answers.Scan() {
			break
		}
		accepted[answers.Text()] = to
	}

	for answers.Scan() { // until it is killed
		t.Errorf("the daemon said %q unasked", answers.Text())
	}

	_ = cmd.Wait()
}

// startCrashDaemon starts such a daemon. model is the address of the model of a responder DM, or
// "" for none.
func (te *testTeam) startCrashDaemon(t *testing.T, model string) (*exec.Cmd, io.Writer, *bufio.Scanner) {
	t.Helper()
	return te.startCrashing(t, crashTeam{Model: model})
}

// startCrashing starts a daemon of the team as ct says.
func (te *testTeam) startCrashing(t *testing.T, ct crashTeam) (*exec.Cmd, io.Writer, *bufio.Scanner) {
	t.Helper()
	o := &te.opts.Tmux
	ct.Dir, ct.Binary, ct.Path, ct.At, ct.Env = te.dir, o.Binary, o.Path, o.Dir, o.Env
	arg := must.Have(json.Marshal(ct))(t)

	cmd := exec.Command(te.opts.Executable, crashDaemon, string(arg))
	cmd.Stderr = testWriter{t}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2, "the daemon did not start")
	}

	answers := bufio.NewScanner(out)
	if !answers.Scan() || answers.Text() != "ready" {
		t.Fatalf("the daemon did not come up: %q", answers.Text())
	}

	return cmd, in, answers
}

// settle waits until every delivery is settled.
func (te *testTeam) settle(t *testing.T, accepted map[string]string) {
	t.Helper()
	var counts map[string]int
	tmuxtest.Poll(t, func() bool {
		counts = must.Have(te.opts.Store.Workspace.DeliveryCounts(t.Context()))(t)
		return counts["queued"]+counts["held"]+counts["typing"] == 0
	}, func() string { return fmt.Sprintf("of %d messages, these are not settled: %v", len(accepted), counts) })

	t.Logf("%d messages accepted; not delivered: %v", len(accepted), counts)
	if counts["unconfirmed"] > 0 {
		t.Errorf("%d are unconfirmed; with a composer that can be read none should be", counts["unconfirmed"])
	}
}

// check compares the accepted messages with those that the agents got.
func (te *testTeam) check(t *testing.T, logs, accepted map[string]string) {
	t.Helper()
	got := map[string]int{}
	for _, log := range logs {
		for _, m := range tmuxtest.Messages(t, log) {
			_, after, _ := strings.Cut(m.Text, "· msg ")
			got[after[:min(len(after), parley.ShortID)]]++
		}
	}

	lost, doubled := 0, 0
	for id := range accepted {
		switch n := got[parley.Short(id)]; {
		case n == 0:
			lost++
		case n > 1:
			doubled++
		}
	}

	if len(accepted) == 0 || lost > 0 || doubled > 0 {
		t.Errorf("of %d accepted messages %d were lost and %d typed twice", len(accepted), lost, doubled)
	}

	for short, n := range got {
		if n > 1 {
			t.Errorf("message %s was typed %d times", short, n)
		}
	}
}

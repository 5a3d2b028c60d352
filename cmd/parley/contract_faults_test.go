package main

import (
	"database/sql"
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/wait"
	"parley/op"
)

// These failures are no caller's mistake: the test takes from a running daemon what it
// needs, and gives it back.

// onlyBeforeADaemon is why three faces cannot cause what keeps a daemon from starting.
var onlyBeforeADaemon = map[string]string{
	"REST": "it comes when a daemon starts, and REST is one that runs",
	"MCP":  "it comes when a daemon starts, and MCP is one that runs",
	"Go":   "it comes when a daemon starts, and the client starts none",
}

// byNone gives the same reason for every face.
func byNone(why string) map[string]string {
	never := map[string]string{}
	for _, face := range failingFaces {
		never[face.name] = why
	}
	return never
}

// faults are the failures that no caller causes.
func faults(s *stage) []failing {
	noDaemon := "there is no daemon that could say it"

	return []failing{
		{code: parley.StorageUnavailable, by: "asker", status: 503, before: takeTheDisk,
			op: "send_message", args: `{"to":"other","text":"hi"}`,
			cli: []string{"send", "other", "hi"}},
		{code: parley.Internal, by: "asker", status: 500, before: breakARow,
			op: "get_message_status", args: s.filled(`{"message_id":"{broken}"}`),
			cli: []string{"message", s.kept["broken"]}},
		{code: parley.TmuxUnavailable, status: 503, before: takeTmux,
			op: "adopt_agent", args: s.filled(`{"name":"late","pane":"%0","socket":"{tmux}"}`),
			cli: []string{"adopt", "late", "--pane", "%0", "--socket", s.kept["tmux"]}},
		{code: parley.DaemonUnavailable, by: "other", status: 503, each: endMeanwhile,
			op: "check_inbox", args: `{"wait_seconds":60}`,
			own: map[string]string{"Go": noDaemon, "CLI": noDaemon},
			cli: []string{"status"}},
		{code: parley.DaemonRunning, never: onlyBeforeADaemon,
			cli: []string{"serve", "--foreground"}},
		{code: parley.ConversationHeld,
			never: byNone("it is the reason of a delivery that waits; a call fails with it only beyond a budget " +
				"towards a mailbox")},
		{code: parley.ModelUnavailable, by: "asker", status: 502, stores: true,
			op: "send_message", args: `{"to":"sage","text":"FAIL 401"}`,
			cli: []string{"send", "sage", "FAIL 401"}},
		{code: parley.DialogChanged, status: 409, never: operatorsOwn, before: launchOneThatAsksNothing,
			op: "answer_dialog", args: `{"agent":"quiet","choice":"1","dialog_id":"00000000"}`,
			cli: []string{"answer", "quiet", "1", "--dialog", "00000000"}},
		{code: parley.NotTrusted, never: onlyBeforeADaemon, before: writeTeamOfSomebody,
			cli: []string{"up"}},
		{code: parley.AddressInUse, never: onlyBeforeADaemon, before: endDaemon,
			cli: []string{"serve", "--http-port", s.kept["port"]}},
	}
}

// faulty starts a stage on which every fault can be made.
func faulty(t *testing.T) *stage {
	bin := t.TempDir()
	for _, program := range []string{"tmux", "sh", "cat"} {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Skipf("%s is not installed", program)
		}
		must.Do(t, os.Symlink(path, filepath.Join(bin, program)))
	}

	s := (&play{cast: []string{"asker", "other"}, settings: []string{"PATH=" + bin}}).stage(t)
	s.kept["bin"], s.kept["tmux"] = bin, filepath.Join(s.home.Dir, "t", "users")
	broken := parley.SendMessageRequest{To: parley.Names{"asker"}, Text: "soon broken"}
	res := must.Have(op.SendMessage.Call(inTime(t), s.boss, broken))(t)

	s.kept["broken"] = res.MessageID
	s.kept["port"] = strconv.Itoa(listening(t, "tcp", "127.0.0.1:0").(*net.TCPAddr).Port)
	listening(t, "unix", s.kept["tmux"])
	model := modelserver.StartBare()
	t.Cleanup(model.Close)
	must.Have(op.AddResponder.Call(inTime(t), s.boss, parley.AddResponderRequest{Name: "sage",
		Config: &parley.ResponderConfig{ModelID: "scripted", BaseURL: model.URL + "/v1"}}))(t)

	return s
}

func launchOneThatAsksNothing(t *testing.T, s *stage) func() {
	must.Have(op.LaunchAgent.Call(inTime(t), s.boss, parley.LaunchAgentRequest{Name: "quiet", Profile: "generic",
		Command: []string{"cat"}}))(t)
	must.Do(t, wait.Until(inTime(t), 20*time.Millisecond, func() (bool, error) { // until it reads
		res, err := op.GetAgentStatus.Call(inTime(t), s.boss, parley.AgentStatusRequest{Agent: "quiet"})
		return err == nil && res.Agents[0].State == parley.StateIdle, err
	}))
	return func() { must.Have(op.StopAgent.Call(inTime(t), s.boss, parley.StopAgentRequest{Agent: "quiet"}))(t) }
}

func listening(t *testing.T, network, address string) net.Addr {
	l := must.Have(net.Listen(network, address))(t)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr()
}

// Every fault comes with the same words and advice by every face, and passes.
func TestEveryFaultIsTheSameByEveryFace(t *testing.T) {
	t.Parallel()
	s := faulty(t)
	for _, f := range faults(s) {
		if len(f.never) == len(failingFaces) {
			continue
		}
		t.Run(string(f.code), func(t *testing.T) { s.fail(t, &f) })
	}

	for _, name := range []string{"asker", "other"} {
		again := parley.SendMessageRequest{To: parley.Names{name}, Text: "all is well again"}
		res, err := op.SendMessage.Call(inTime(t), s.boss, again)
		if err != nil || !res.Success {
			t.Errorf("after all faults: %v", err)
		}
	}
}

// Every code of parley.go is caused by every face, or the table says why not.
func TestEveryErrorCodeIsTriedByEveryFace(t *testing.T) {
	tried := map[parley.Code]failing{}
	for _, f := range append(failures(&stage{}), faults(&stage{})...) {
		tried[f.code] = f
	}

	for _, code := range codes(t) {
		f, ok := tried[code]
		if !ok {
			t.Errorf("%s is not tried: give it a line in failures or faults", code)
			continue
		}

		for _, face := range failingFaces {
			tried := map[string]bool{
				"REST": f.op != "" && f.status != 0, "MCP": f.op != "", "Go": f.op != "", "CLI": f.cli != nil,
			}[face.name]
			if !tried && f.never[face.name] == "" {
				t.Errorf("%s is not tried by %s: give it a call, or the reason in never", code, face.name)
			}
		}

		delete(tried, code)
	}

	for code := range tried {
		t.Errorf("there is no code %s", code)
	}
}

// codes returns the codes that parley.go declares.
func codes(t *testing.T) (list []parley.Code) {
	file := must.Have(parser.ParseFile(token.NewFileSet(), "../../parley.go", nil, 0))(t)

	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return false
		}

		for _, value := range spec.Values {
			code := must.Have(strconv.Unquote(value.(*ast.BasicLit).Value))(t)
			list = append(list, parley.Code(code))
		}

		return false
	})

	if len(list) < 20 {
		t.Fatalf("only %v were found", list)
	}

	return list
}

// breakARow makes a stored message unreadable.
func breakARow(t *testing.T, s *stage) func() {
	set := func(accepted string) {
		file := placeOf(s.home).Database()
		db := must.Have(sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"))(t)
		defer db.Close()

		update := `UPDATE messages SET accepted_at = ` + accepted + ` WHERE id = ?`
		must.Have(db.ExecContext(inTime(t), update, s.kept["broken"]))(t)
	}

	set(`'yesterday'`)
	return func() { set(strconv.FormatInt(time.Now().UnixNano(), 10)) }
}

// takeTmux removes tmux from the daemon's PATH.
func takeTmux(t *testing.T, s *stage) func() {
	tmux := filepath.Join(s.kept["bin"], "tmux")
	at := must.Have(os.Readlink(tmux))(t)
	must.Do(t, os.Remove(tmux))

	return func() {
		must.Do(t, os.Symlink(at, tmux))
	}
}

// endDaemon ends the daemon, and starts it again.
func endDaemon(t *testing.T, s *stage) func() {
	if out, err := s.home.Command("down").CombinedOutput(); err != nil {
		t.Fatalf("parley down: %v\n%s", err, out)
	}
	return func() {
		if out, err := s.home.Command("serve").CombinedOutput(); err != nil {
			t.Fatalf("parley serve: %v\n%s", err, out)
		}
		s.info = testhome.Run[parley.WorkspaceStatusResult](t, s.home, "status")
	}
}

// endMeanwhile ends the daemon while the other's call waits in it. For the Go client and
// the CLI it ends before the call.
func endMeanwhile(t *testing.T, s *stage, face string) func() {
	if face == "Go" || face == "CLI" {
		return endDaemon(t, s)
	}

	ctx, from := inTime(t), time.Now()
	ended := make(chan error, 1)
	go func() {
		for {
			res, err := op.ListKeys.Call(ctx, s.boss, parley.ListKeysRequest{Agent: "other"})
			if err != nil {
				ended <- err
				return
			}

			if used := res.Keys[0].LastUsed; used != nil && used.After(from) {
				break
			}

			time.Sleep(10 * time.Millisecond)
		}

		ended <- s.home.Command("down").Run()
	}()

	return func() {
		if err := <-ended; err != nil {
			t.Errorf("ending the daemon: %v", err)
		}
		endDaemon(t, s)()
	}
}

// writeTeamOfSomebody writes a parley.yaml that nobody has trusted.
func writeTeamOfSomebody(t *testing.T, s *stage) func() {
	file := filepath.Join(s.home.Workspace, "parley.yaml")
	must.Do(t, os.WriteFile(file, []byte("agents: [{name: foreign, command: [cat]}]\n"), 0o600))
	return func() { must.Do(t, os.Remove(file)) }
}

package orchestrator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/op"
	"parley/store"
	"parley/store/postgrestest"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// memberContext returns a context in which an agent is the caller.
func (te *testTeam) memberContext(name string) context.Context {
	te.t.Helper()
	caller, ok := te.roster.CallerNamed(context.Background(), name)
	if !ok {
		te.t.Fatalf("there is no %s", name)
	}
	return parley.WithCaller(context.Background(), caller)
}

func TestFilesReachAgentsOfOtherHosts(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	log := bob.launch("bobby", "framed", tmuxtest.Agent{})
	bob.launch("beth", "framed", tmuxtest.Agent{})
	ann.knows("beth")

	source := filepath.Join(ann.dir, "notes.md")
	must.Do(t, os.WriteFile(source, []byte("what was found"), 0o600))
	sent := must.Have(op.TransferFile.Call(ann.operator(), ann,
		parley.TransferFileRequest{Recipient: "bobby", SourcePath: source}))(t)
	id := sent.Data.FileID
	if sent.Data.ServerPath != "" {
		t.Errorf("a path of this machine is told: %s", sent.Data.ServerPath)
	}
	bob.wantMessages(log, 1)
	if text := tmuxtest.Messages(t, log)[0].Text; !strings.Contains(text, "parley get-file "+parley.Short(id)) ||
		strings.Contains(text, ann.dir) {
		t.Errorf("bobby is told %q", text)
	}

	// It is there although the host on which it was sent sleeps, and can be sent on.
	ann.close()
	f, content, err := bob.Files.OpenFile(bob.memberContext("bobby"), id)
	must.Do(t, err)
	text := must.Have(io.ReadAll(content))(t)
	must.Do(t, content.Close())
	if string(text) != "what was found" || f.Name != "notes.md" {
		t.Errorf("bobby reads %q of %s", text, f.Name)
	}

	on := bob.sends(bob.memberContext("bobby"), parley.SendMessageRequest{
		To: parley.Names{"beth"}, Text: "see this", Attachments: []json.RawMessage{[]byte(`{"file_id":"` + id + `"}`)},
	})
	msg, _, err := bob.store.Messages.Message(t.Context(), on.MessageID)
	must.Do(t, err)
	var attached struct {
		Path string `json:"server_path"`
	}
	must.Do(t, json.Unmarshal(msg.Attachments[0], &attached))
	if !strings.HasPrefix(attached.Path, bob.dir) {
		t.Errorf("beth got %s", msg.Attachments[0])
	}
	ann.back(url, "ann")

	// A removed file is gone for all.
	must.Have(op.RemoveFiles.Call(ann.operator(), ann, parley.RemoveFilesRequest{FileIDs: []string{id}}))(t)
	_, _, err = bob.Files.OpenFile(bob.operator(), id)
	if parley.ErrorCode(err) != parley.FileNotFound {
		t.Errorf("a removed file: got %v", err)
	}
	announced := must.Have(op.GetMessageStatus.Call(ann.operator(), ann,
		parley.MessageStatusRequest{MessageID: sent.MessageID}))(t)
	if item := string(announced.Object.Attachments[0]); strings.Contains(item, "get-file") ||
		!strings.Contains(item, "removed_at") {
		t.Errorf("the message still leads to it: %s", item)
	}
}

// A file is removed while another one with the same content is sent: the other host has that one whole.
func TestFileThatIsSentWhileItsTwinIsRemovedStaysWhole(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	ann.as("reader")
	for n := range 10 {
		content := strings.Repeat(fmt.Sprintf("round %d of many", n), 40_000) // more than one chunk
		source := filepath.Join(ann.dir, "twin")
		must.Do(t, os.WriteFile(source, []byte(content), 0o600))
		transfer := parley.TransferFileRequest{Recipient: "reader", SourcePath: source}
		first := must.Have(op.TransferFile.Call(ann.operator(), ann, transfer))(t).Data.FileID

		var both sync.WaitGroup
		var second *parley.TransferFileResult
		var sendErr, removeErr error
		both.Go(func() { second, sendErr = op.TransferFile.Call(ann.operator(), ann, transfer) })
		both.Go(func() {
			_, removeErr = op.RemoveFiles.Call(bob.operator(), bob, parley.RemoveFilesRequest{FileIDs: []string{first}})
		})
		both.Wait()
		must.Do(t, errors.Join(sendErr, removeErr))

		var got bytes.Buffer
		f, err := bob.store.Files.File(t.Context(), second.Data.FileID, "")
		must.Do(t, err)
		must.Do(t, bob.store.Files.WriteContent(t.Context(), f.SHA256, &got))
		if got.String() != content {
			t.Errorf("round %d: of %d bytes the other host has %d", n, len(content), got.Len())
		}
	}
}

// askingHost starts a host of a team that asks models.
func askingHost(t *testing.T, url, name string, declared ...parley.DeclaredResponder) *testTeam {
	t.Helper()
	return newTeam(t, asking(declared...), func(o *Options) { o.Store = openHost(t, url, name, o.Workspace) })
}

func TestHostLeavesTheRespondersOfOthersAlone(t *testing.T) {
	t.Parallel()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	url := storetest.URL(t)
	ann := askingHost(t, url, "ann", answeredAt(s.URL))

	bob := askingHost(t, url, "bob") // its parley.yaml declares none
	bob.as("writer")
	ann.knows("writer")
	if a := ann.roster.ByName("DM").Agent(); a.State == parley.StateTerminated {
		t.Errorf("the start of another host ended it: %s", a.Evidence)
	}
	ann.tell(ann.operator(), "SAY all the same")

	// Its own host ends it.
	ann.reopen(func(o *Options) { asking()(o); o.Store = openHost(t, url, "ann", o.Workspace) })
	bob.inState("DM", parley.StateTerminated)
}

func TestQuestionUnderWayOnAnotherHostIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	url, clock := storetest.URL(t), new(clock)
	ann := askingHost(t, url, "ann", answeredAt(s.URL))
	bob := newTeam(t, asking(answeredAt(s.URL)), clock.option,
		func(o *Options) { o.Store = openHost(t, url, "bob", o.Workspace) })

	answered := make(chan error, 1)
	go func() {
		_, err := op.SendMessage.Call(ann.operator(), ann, parley.SendMessageRequest{To: parley.Names{"DM"},
			Text: "PAUSE hi"})
		answered <- err
	}()
	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 },
		func() string { return fmt.Sprintf("%d requests came", len(s.Requests())) })

	inbox, err := op.FindMessages.Call(bob.operator(), bob, parley.FindMessagesRequest{Query: "PAUSE"})
	if err != nil || len(inbox.Messages) != 1 {
		t.Fatalf("bob finds %+v, %v", inbox, err)
	}
	id := inbox.Messages[0].MessageID
	if needs := bob.needs(""); len(needs) != 0 {
		t.Errorf("while ann asks the model, bob needs %+v", needs)
	}
	_, err = op.RetryDelivery.Call(bob.operator(), bob, parley.RetryDeliveryRequest{MessageID: id})
	if parley.ReasonOf(err) != parley.ModelNotAnswering || parley.AsError(err).Details["retry_after_seconds"] == nil {
		t.Errorf("a retry meanwhile: %v", err)
	}

	clock.pass(time.Minute) // more than a model has
	if n := bob.need(parley.NeedUnanswered); n.MessageID != id {
		t.Errorf("when the time is over, bob needs %+v", n)
	}

	s.Release()
	if err := <-answered; err != nil || len(s.Requests()) != 1 {
		t.Errorf("the answer: %v, after %d requests", err, len(s.Requests()))
	}
}

// The network between a daemon and the database stalls and is cut while a text is between paste and Enter.
func TestCutBetweenPasteAndEnterLosesNothing(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	proxy, through := postgrestest.NewProxy(t, url)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, through, "bob")
	log := bob.launch("bobby", "framed", tmuxtest.Agent{Slow: 50 * time.Millisecond, Shows: true})
	ann.knows("bobby")

	accepted := map[string]string{}
	for n := range 5 {
		id := ann.send("bobby", fmt.Sprintf("message %d", n))
		accepted[id] = "bobby"
		tmuxtest.Poll(t, func() bool { s := ann.delivery(id).State; return s == parley.DeliveryTyping || s.Settled() },
			func() string { return fmt.Sprintf("%+v", ann.delivery(id)) })

		proxy.Stall()
		proxy.Cut()
		time.AfterFunc(time.Duration(n)*100*time.Millisecond, proxy.Flow)
		ann.settle(t, accepted)
	}
	bob.check(t, map[string]string{"bobby": log}, accepted)
}

// The clock of a host is wrong by a day. Leases are on the database's clock, so it is not away.
func TestHostWithAWrongClockTakesPart(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann := hostOf(t, url, "ann")
	wrong := func() time.Time { return time.Now().Add(-25 * time.Hour) }
	bob := newTeam(t, func(o *Options) {
		o.Now = wrong
		o.Store = must.Have(store.Open(context.Background(), store.Options{
			URL: url, Host: "bob", Path: filepath.Join(o.Workspace, "parley.db"), Now: wrong,
		}))(t)
	})
	log := bob.launch("bobby", "framed", tmuxtest.Agent{})
	ann.knows("bobby")

	ann.arrived(ann.send("bobby", "what time is it there?"))
	bob.wantMessages(log, 1)
	ann.screenFrom("bobby")
	for _, h := range must.Have(op.ListHosts.Call(ann.operator(), ann, parley.ListHostsRequest{}))(t).Hosts {
		if h.Name == "bob" && h.Away {
			t.Errorf("%s is away", h.Name)
		}
	}
}

// The database does not take the answer of a host at once. The asker gets it even so.
func TestAnswerOfAnotherHostIsStoredAgain(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	bob.launch("bobby", "framed", tmuxtest.Agent{})
	ann.knows("bobby")

	must.Do(t, postgrestest.Do(url, `CREATE SEQUENCE answers`, // its numbers stay when a transaction is rolled back
		`CREATE FUNCTION refuse_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('answers') = 1 THEN RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'; END IF;
			RETURN NEW; END $$`,
		`CREATE TRIGGER refuse_first BEFORE UPDATE OF answer ON relays FOR EACH ROW EXECUTE FUNCTION refuse_first()`))
	t.Cleanup(func() {
		must.Do(t, postgrestest.Do(url, `DROP TRIGGER refuse_first ON relays`, `DROP FUNCTION refuse_first`,
			`DROP SEQUENCE answers`))
	})

	ctx, stop := context.WithTimeout(ann.operator(), time.Minute)
	defer stop()
	must.Have(op.ReadTerminal.Call(ctx, ann, parley.ReadTerminalRequest{Agent: "bobby"}))(t)
	if n := must.Have(postgrestest.Look[int](t.Context(), url, `SELECT last_value FROM answers`))(t); n[0] != 2 {
		t.Errorf("the answer was stored at attempt %d, want 2", n[0])
	}
}

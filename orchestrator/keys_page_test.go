package orchestrator

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
)

var (
	phone = parley.Device{Browser: "Safari on an iPhone", Address: "100.64.0.7"}
	desk  = parley.Device{Browser: "Firefox on Linux", Address: "127.0.0.1"}
)

// entryOf asks for a session with a code, by a public key of its own.
func entryOf(code string) parley.PageEntry {
	e := parley.PageEntry{CodeID: code[:min(len(code), parley.KeyIDLength)], PublicKey: team.NewID(), From: phone}
	e.Proof = parley.PageProof(team.HashKey(code), e.PublicKey)
	return e
}

func TestACodeOfThePageIsOneSession(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	te := newTeam(t, func(o *Options) { o.Now = clock.now; o.Daemon.Info.HTTP = "http://0.0.0.0:4711" })
	link := must.Have(op.OpenPage.Call(te.operator(), te, parley.OpenPageRequest{}))(t)
	if want := "http://127.0.0.1:4711/#" + link.Code; link.URL() != want {
		t.Errorf("the link is %s, want %s", link.URL(), want)
	}
	if _, ok := te.roster.Authenticate(t.Context(), link.Code); ok {
		t.Error("the code itself is a key")
	}
	if _, err := te.Keys.EnterPage(t.Context(), entryOf(link.Code+"x")); err == nil {
		t.Error("the id of a code is enough")
	}

	var entered atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := te.Keys.EnterPage(t.Context(), entryOf(link.Code)); err == nil {
				entered.Add(1)
			} else if parley.ErrorCode(err) != parley.Unauthenticated {
				t.Errorf("a second use gave %v", err)
			}
		})
	}
	all.Wait()
	if entered.Load() != 1 {
		t.Errorf("one code became %d sessions", entered.Load())
	}
	keys := must.Have(op.ListKeys.Call(te.operator(), te, parley.ListKeysRequest{Agent: parley.OperatorName}))(t).Keys
	if len(keys) != 1 || keys[0].Origin != parley.KeyPage || keys[0].Device != phone {
		t.Errorf("the operator has the keys %+v, want the session alone, on %s", keys, phone.Words())
	}
	told := must.Have(op.ReadEvents.Call(te.operator(), te, parley.ReadEventsRequest{Last: 1}))(t).Events
	if len(told) != 1 || told[0].Type != parley.EventPage || !strings.Contains(told[0].Detail, phone.Words()) {
		t.Errorf("that a link was opened is told as %+v", told)
	}

	late := must.Have(op.OpenPage.Call(te.operator(), te, parley.OpenPageRequest{}))(t)
	clock.set(late.ExpiresAt)
	for _, code := range []string{late.Code, "", "parley_nothing", link.Code, link.KeyID} {
		if _, err := te.Keys.EnterPage(t.Context(), entryOf(code)); parley.ErrorCode(err) != parley.Unauthenticated {
			t.Errorf("%q gave %v", code, err)
		}
	}
}

func TestASessionOfThePageEnds(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	te := newTeam(t, func(o *Options) { o.Now = clock.now })
	type session struct {
		*parley.PageSession
		public string
	}
	enter := func(watch bool) session {
		t.Helper()
		link := must.Have(op.OpenPage.Call(te.operator(), te, parley.OpenPageRequest{Watch: watch}))(t)
		entry := entryOf(link.Code)
		return session{must.Have(te.Keys.EnterPage(t.Context(), entry))(t), entry.PublicKey}
	}
	good := func(s session) bool {
		if _, ok := te.roster.Authenticate(t.Context(), s.public); ok {
			t.Error("its public key is a key by itself")
		}
		_, ok := te.roster.Session(s.public, desk)
		return ok
	}

	for _, watch := range []bool{false, true} {
		used, left := enter(watch), enter(watch)
		for range 3 {
			clock.set(clock.now().Add(parley.PageIdle - time.Second))
			if !good(used) {
				t.Error("a session that is used has ended")
			}
		}
		if good(left) {
			t.Error("a session that nobody used has not ended")
		}
		if !good(used) || used.Watch != watch {
			t.Errorf("watching: %v, want %v", used.Watch, watch)
		}

		revoked := enter(watch)
		must.Have(op.RevokeKey.Call(te.operator(), te, parley.RevokeKeyRequest{KeyID: revoked.KeyID}))(t)
		if good(revoked) || !good(used) {
			t.Error("one session was revoked: that one still works, or another one does not")
		}
	}

	// It is known by where it was used last.
	last := enter(false)
	keys := must.Have(op.ListKeys.Call(te.operator(), te, parley.ListKeysRequest{}))(t).Keys
	for _, want := range []parley.Device{phone, desk} {
		if !slices.ContainsFunc(keys, func(k parley.Key) bool { return k.Device == want }) {
			t.Errorf("of %+v, none was used on %s", keys, want.Words())
		}
	}
	must.Have(op.RotateKey.Call(te.operator(), te, parley.RotateKeyRequest{Agent: parley.OperatorName}))(t)
	if good(last) {
		t.Error("it outlives a change of all keys")
	}

	moved := enter(false)
	must.Do(t, te.Keys.EndPage(t.Context()))
	if good(moved) {
		t.Error("it outlives the page's address")
	}
}

// A link counts for the daemon that made it.
func TestALinkEndsWithItsDaemon(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Daemon.Info.StartedAt = time.Now().Add(time.Minute) })
	link := must.Have(op.OpenPage.Call(te.operator(), te, parley.OpenPageRequest{}))(t)
	if _, err := te.Keys.EnterPage(t.Context(), entryOf(link.Code)); parley.ErrorCode(err) != parley.Unauthenticated {
		t.Errorf("the next one takes it: %v", err)
	}
}

// What a session gets ends with it: no operation whose result has a secret is for one.
func TestASessionGetsNothingThatLasts(t *testing.T) {
	t.Parallel()
	session := parley.Caller{ID: "1", Name: parley.OperatorName, Operator: true, Session: "parley_session1"}
	secrets, refused := []string{"api_key", "token", "code"}, 0
	for _, op := range op.All {
		gives := slices.ContainsFunc(secrets, func(s string) bool { return op.Output().Properties[s] != nil })
		if err := op.Allow(session); gives != (parley.ErrorCode(err) == parley.NotAuthorized) {
			t.Errorf("%s: %v", op.Name, err)
		} else if gives {
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("%d operations are refused", refused)
	}
}

// A session that may only look reads what the operator reads, and changes nothing.
func TestAWatchingSessionOnlyReads(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	link := must.Have(op.OpenPage.Call(te.operator(), te, parley.OpenPageRequest{Watch: true}))(t)
	entry := entryOf(link.Code)
	must.Have(te.Keys.EnterPage(t.Context(), entry))(t)
	caller, ok := te.roster.Session(entry.PublicKey, phone)
	if !ok || caller.Watches == "" || caller.Operator || !caller.Nobody() {
		t.Fatalf("it stands for %+v, %v", caller, ok)
	}

	readsToo := []string{"get_needs", "answer_dialog"} // in a form that changes nothing
	for _, o := range op.All {
		err := o.Allow(caller)
		if may := o.Effect == op.Reads || o.Access == op.Public ||
			slices.Contains(readsToo, o.Name); (err == nil) != may {
			t.Errorf("%s: %v", o.Name, err)
		}
		if err != nil && parley.ErrorCode(err) != parley.NotAuthorized {
			t.Errorf("%s is refused with %v", o.Name, err)
		}
	}

	ctx := parley.WithCaller(t.Context(), caller)
	for args, want := range map[string]parley.Code{"{}": "", `{"dismiss":"undelivered"}`: parley.NotAuthorized} {
		inv := must.Have(op.Find("get_needs").Decode([]byte(args)))(t)
		if _, err := inv.Call(ctx, te.Orchestrator); parley.ErrorCode(err) != want {
			t.Errorf("get_needs %s: %v", args, err)
		}
	}
}

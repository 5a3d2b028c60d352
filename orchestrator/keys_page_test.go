package orchestrator

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func TestACodeOfThePageIsOneSession(t *testing.T) {
	clock := newHandClock()
	te := newTeam(t, func(o *Options) { o.Now = clock.now; o.Daemon.Info.HTTP = "http://0.0.0.0:4711" })
	link := must.Have(te.OpenPage(te.operator(), parley.OpenPageRequest{}))(t)
	if want := "http://127.0.0.1:4711/#" + link.Code; link.URL() != want {
		t.Errorf("the link is %s, want %s", link.URL(), want)
	}
	if _, ok := te.roster.Authenticate(t.Context(), link.Code); ok {
		t.Error("the code itself is a key")
	}

	var entered atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := te.EnterPage(t.Context(), link.Code); err == nil {
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
	keys := must.Have(te.ListKeys(te.operator(), parley.ListKeysRequest{Agent: parley.OperatorName}))(t).Keys
	if len(keys) != 1 || keys[0].Origin != parley.KeyPage {
		t.Errorf("the operator has the keys %+v, want the session alone", keys)
	}

	late := must.Have(te.OpenPage(te.operator(), parley.OpenPageRequest{}))(t)
	clock.set(late.ExpiresAt)
	for _, code := range []string{late.Code, "", "parley_nothing", link.Code, link.KeyID} {
		if _, err := te.EnterPage(t.Context(), code); parley.ErrorCode(err) != parley.Unauthenticated {
			t.Errorf("%q gave %v", code, err)
		}
	}
}

func TestASessionOfThePageEnds(t *testing.T) {
	clock := newHandClock()
	te := newTeam(t, func(o *Options) { o.Now = clock.now })
	enter := func(watch bool) *parley.PageSession {
		t.Helper()
		link := must.Have(te.OpenPage(te.operator(), parley.OpenPageRequest{Watch: watch}))(t)
		return must.Have(te.EnterPage(t.Context(), link.Code))(t)
	}
	good := func(s *parley.PageSession) bool {
		_, ok := te.roster.Authenticate(t.Context(), s.Key)
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
		must.Have(te.RevokeKey(te.operator(), parley.RevokeKeyRequest{KeyID: revoked.KeyID}))(t)
		if good(revoked) || !good(used) {
			t.Error("one session was revoked: that one still works, or another one does not")
		}
	}

	last := enter(false)
	must.Have(te.RotateKey(te.operator(), parley.RotateKeyRequest{Agent: parley.OperatorName}))(t)
	if good(last) {
		t.Error("it outlives a change of all keys")
	}
}

// A session that may only look reads what the operator reads, and changes nothing.
func TestAWatchingSessionOnlyReads(t *testing.T) {
	te := newTeam(t)
	link := must.Have(te.OpenPage(te.operator(), parley.OpenPageRequest{Watch: true}))(t)
	session := must.Have(te.EnterPage(t.Context(), link.Code))(t)
	caller, ok := te.roster.Authenticate(t.Context(), session.Key)
	if !ok || caller.Watches == "" || caller.Operator || !caller.Nobody() {
		t.Fatalf("it stands for %+v, %v", caller, ok)
	}

	readsToo := []string{"get_needs", "answer_dialog"} // in a form that changes nothing
	for _, op := range parley.Ops {
		err := op.Allow(caller)
		if may := op.Effect == parley.Reads || op.Access == parley.Public ||
			slices.Contains(readsToo, op.Name); (err == nil) != may {
			t.Errorf("%s: %v", op.Name, err)
		}
		if err != nil && parley.ErrorCode(err) != parley.NotAuthorized {
			t.Errorf("%s is refused with %v", op.Name, err)
		}
	}

	ctx := parley.WithCaller(t.Context(), caller)
	for args, want := range map[string]parley.Code{"{}": "", `{"dismiss":"undelivered"}`: parley.NotAuthorized} {
		inv := must.Have(parley.FindOp("get_needs").Decode([]byte(args)))(t)
		if _, err := inv.Call(ctx, te.Orchestrator); parley.ErrorCode(err) != want {
			t.Errorf("get_needs %s: %v", args, err)
		}
	}
}

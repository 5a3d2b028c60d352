package store

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// What a host writes names the hosts that it concerns.
func TestWritesRingAtTheHostsThatTheyConcern(t *testing.T) {
	hosts := openHosts(t, "ann", "bob", "cleo")
	ann, bob := hosts[0], hosts[1]
	far := testAgent(7)
	far.Host = "bob"
	must.Do(t, bob.Agents.CreateAgent(t.Context(), far, nil))
	mail := testAgent(8)
	mail.Kind = parley.KindMailbox
	must.Do(t, bob.Agents.CreateAgent(t.Context(), mail, nil))

	conn := must.Have(pgx.ConnectConfig(t.Context(), ann.db.base.Session.(*engine.ServerSession).Config))(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must.Have(conn.Exec(t.Context(), `LISTEN `+pgx.Identifier{ann.db.base.Doorbell.Channel}.Sanitize()))(t)
	expect := func(what, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if got := must.Have(conn.WaitForNotification(ctx))(t).Payload; got != want {
			t.Errorf("%s: the ring says %q, want %q", what, got, want)
		}
	}

	sent := send(t, ann, post(0, 7))
	expect("a message to an agent of bob", "\nbob\n")
	must.Do(t, bob.Deliveries.Claim(t.Context(), Key{sent.Seq, agentID(7)}, 1, false))
	expect("a claim", "\nbob\n")
	send(t, ann, post(0, 8))
	expect("a message to a mailbox", "")
	send(t, ann, post(0, 7, 8))
	expect("a message to both", "")
	must.Do(t, ann.Workspace.SetPause(t.Context(), agentID(0), &parley.Pause{By: "ann"}, nil))
	expect("a pause", "")
}

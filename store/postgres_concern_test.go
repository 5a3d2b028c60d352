package store

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley"
	"parley/internal/must"
)

func TestRingsConcernWhomTheyName(t *testing.T) {
	for _, c := range []struct {
		name, said           string
		attended             int64
		press, later, relays bool
	}{
		{name: "all", said: "", press: true},
		{name: "this host", said: "\nann\nbob\n", press: true},
		{name: "others", said: "\nann\nbobby\n", later: true},
		{name: "others, while somebody waits here", said: "\nann\n", attended: 1, press: true},
		{name: "a relay for this host", said: "bob", relays: true},
		{name: "a relay for another", said: "ann"},
	} {
		b := doorbell{host: "bob", ring: make(chan struct{}, 1)}
		b.attended.Store(c.attended)
		rings := b.relays.ringing()
		b.hear(c.said)

		relays := false
		select {
		case <-rings:
			relays = true
		default:
		}
		if b.rang.Load() != c.press || b.later.Load() != c.later || relays != c.relays {
			t.Errorf("%s: pressed %v, later %v, relays %v", c.name, b.rang.Load(), b.later.Load(), relays)
		}
	}
}

// What a host writes names the hosts that it concerns.
func TestWritesRingAtTheHostsThatTheyConcern(t *testing.T) {
	hosts := openHosts(t, "ann", "bob", "cleo")
	ann, bob := hosts[0], hosts[1]
	far := testAgent(7)
	far.Host = "bob"
	must.Do(t, bob.CreateAgent(t.Context(), far, nil))
	mail := testAgent(8)
	mail.Kind = parley.KindMailbox
	must.Do(t, bob.CreateAgent(t.Context(), mail, nil))

	conn := must.Have(pgx.ConnectConfig(t.Context(), ann.session.(*postgresSession).config))(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must.Have(conn.Exec(t.Context(), `LISTEN `+pgx.Identifier{ann.doorbell.channel}.Sanitize()))(t)
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
	must.Do(t, bob.Claim(t.Context(), Key{sent.Seq, agentID(7)}, 1, false))
	expect("a claim", "\nbob\n")
	send(t, ann, post(0, 8))
	expect("a message to a mailbox", "")
	send(t, ann, post(0, 7, 8))
	expect("a message to both", "")
	must.Do(t, ann.SetPause(t.Context(), agentID(0), &parley.Pause{By: "ann"}, nil))
	expect("a pause", "")
}

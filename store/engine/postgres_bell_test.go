package engine

import "testing"

func TestRingsConcernWhomTheyName(t *testing.T) {
	for _, c := range []struct {
		name, said           string
		attended             int64
		press, later, relays bool
	}{
		{name: "all", said: "", press: true},
		{name: "this host", said: "\nann\nbob\n", press: true},
		{name: "others", said: "\nann\nbobby\n", later: true},
		{name: "no host", said: "\n\n", later: true},
		{name: "no host, while somebody waits here", said: "\n\n", attended: 1, press: true},
		{name: "others, while somebody waits here", said: "\nann\n", attended: 1, press: true},
		{name: "a relay for this host", said: "bob", relays: true},
		{name: "a relay for another", said: "ann"},
	} {
		b := Doorbell{}
		b.Prepare("bob")
		b.attended.Store(c.attended)
		rings := b.Relays.Ringing()
		b.Hear(c.said)

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

package op_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// Whatever the daemon offers about a need is a call that the operation takes, with words, and each key does one thing.
func TestActsOfNeedsAreCallsWithWords(t *testing.T) {
	offered := 0
	for _, kind := range parley.NeedKinds() {
		n := parley.Need{Kind: kind, AgentID: "a", Agent: "coder", MessageID: "5f0c21aa", Held: "5f0c21ab", Draft: "rm"}
		n.Offer()
		keys := map[parley.ActKey]bool{}
		for _, a := range n.Acts {
			offered++
			calls := []parley.ActCalls{a.ActCalls}
			if !strings.HasPrefix(a.Command, "parley ") && kind != parley.NeedMisread && kind != parley.NeedUntried {
				t.Errorf("%s offers %s with the command %q", kind, a.Words, a.Command)
			}
			if a.Undo != nil {
				calls = append(calls, *a.Undo)
			}
			for _, c := range calls {
				if c.Words == "" || len(c.Arguments) == 0 != (c.Operation == "") {
					t.Errorf("%s offers %+v", kind, c)
				}
				for _, arguments := range c.Arguments {
					if _, err := op.Find(c.Operation).Decode(must.Have(json.Marshal(arguments))(t)); err != nil {
						t.Errorf("%s offers %s: %v", kind, c.Words, err)
					}
				}
			}
			if keys[a.Key] {
				t.Errorf("%s offers two things for %s", kind, a.Key)
			}
			keys[a.Key] = true
		}
	}
	if offered < 20 {
		t.Errorf("%d acts are offered", offered)
	}
}

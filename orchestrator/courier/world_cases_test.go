package courier

import (
	"strings"
	"testing"
	"time"
)

// The shortest stories that have broken a promise once.
var cases = []struct {
	name  string
	story story
}{
	{"a key that is taken late", story{
		Profile: "gemini", Traits: traits{Width: 120, Begin: 425 * time.Millisecond, Work: time.Second, DropsBegin: true},
		Events: []event{
			{At: 18 * time.Second, Do: "late key", For: 4 * time.Second},
			{At: 29 * time.Second, Do: "send", What: "normal"}, {At: 30 * time.Second, Do: "send", What: "normal"},
		},
	}},
}

func TestShortestStories(t *testing.T) {
	k := newCommon()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func() {
				if broken, _, log := runStory(&c.story, k, true); broken != nil {
					t.Errorf("%s: %s\n%s", broken.invariant, broken.detail, strings.Join(log, "\n"))
				}
			})
		})
	}
}

package needs

import (
	"testing"
	"time"
)

func TestNothingIsLookedForThatCannotBeDue(t *testing.T) {
	at := time.Now()
	quiet := dueLook{none: true, at: at, event: 7, next: at.Add(time.Minute)}
	for _, c := range []struct {
		name   string
		last   dueLook
		event  int64
		after  time.Duration
		before time.Duration // from then on
		want   bool
	}{
		{name: "the first look"},
		{name: "a second later", last: quiet, event: 7, after: time.Second, want: true},
		{name: "something has happened", last: quiet, event: 8, after: time.Second},
		{name: "one falls due", last: quiet, event: 7, after: time.Second, before: time.Minute},
		{name: "nothing is open", last: dueLook{none: true, at: at}, after: time.Second, before: time.Hour, want: true},
		{name: "something was due", last: dueLook{at: at, event: 7}, event: 7, after: time.Second},
		{name: "long after", last: quiet, event: 7, after: ChoreTime},
		{name: "the clock was set back", last: quiet, event: 7, after: -time.Second},
	} {
		now := at.Add(c.after)
		if got := c.last.needless(c.event, now, now.Add(c.before)); got != c.want {
			t.Errorf("%s: a look is needless: %v, want %v", c.name, got, c.want)
		}
	}
}

package courier

import (
	"strings"
	"testing"
	"time"

	"parley/tmux"
)

func TestAKeyHoldsForLongerWhileTheProgramHasShownNothing(t *testing.T) {
	now := time.Unix(1_000, 0)
	ago := func(seconds int) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }
	for _, c := range []struct {
		name    string
		touched time.Time
		drawn   time.Time
		lag     time.Duration
		want    string
	}{
		{"nobody is there", time.Time{}, ago(60), 0, ""},
		{"they type", ago(2), ago(1), 0, "someone is typing"},
		{"shown a while ago", ago(4), ago(3), 0, ""},
		{"shown within the same second", ago(4), ago(4), 0, ""},
		{"not shown yet", ago(4), ago(5), 0, "shown nothing since"},
		{"drawn, but by a program that is behind", ago(4), ago(4), 2 * time.Second, "someone is typing"},
		{"a program that is far behind", ago(11), ago(11), time.Minute, ""},
		{"a key that nothing is shown of", ago(11), ago(60), 0, ""},
	} {
		got := touched(now, tmux.Screen{Touched: c.touched, Drawn: c.drawn}, c.lag)
		if !strings.Contains(got.Reason, c.want) || got.none() != (c.want == "") {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.want)
		}
	}
}

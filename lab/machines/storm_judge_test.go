package main

import (
	"fmt"
	"testing"
)

func TestCount(t *testing.T) {
	text := func(n int) string { return "[AGENT 1 TO AGENT 2]: " + fmt.Sprintf(note, n) + "\n(operator · msg 1)" }
	to := []int{0, 0, 1}
	all := func(int) bool { return true }
	for name, c := range map[string]struct {
		got  []entry
		want tally
	}{
		"all arrived": {[]entry{{Text: text(0)}, {Text: text(1)}, {Text: text(2), agent: 1}}, tally{accepted: 3}},
		"one is lost": {[]entry{{Text: text(0)}, {Text: text(2), agent: 1}}, tally{accepted: 3, lost: 1}},
		"one came twice": {
			[]entry{{Text: text(0)}, {Text: text(0)}, {Text: text(1)}, {Text: text(2), agent: 1}}, tally{accepted: 3, twice: 1},
		},
		"one went to another": {
			[]entry{{Text: text(0)}, {Text: text(1)}, {Text: text(2)}}, tally{accepted: 3, lost: 1, astray: 1},
		},
		"two in one prompt": {
			[]entry{{Text: text(0) + text(1)}, {Text: text(2), agent: 1}}, tally{accepted: 3, mixed: 1},
		},
	} {
		if got := count(to, all, c.got); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}

	if got, want := count(to, func(n int) bool { return n > 0 }, nil), (tally{accepted: 2, lost: 2}); got != want {
		t.Errorf("what was refused counts: got %+v, want %+v", got, want)
	}
}

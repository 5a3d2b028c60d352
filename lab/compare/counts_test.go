package main

import "testing"

func TestJudge(t *testing.T) {
	a, b := sent{"message a", arrived}, sent{"message b", arrived}
	for name, c := range map[string]struct {
		messages []sent
		logged   []entry
		want     counts
	}{
		"arrived":             {[]sent{a}, []entry{{Text: "message a"}}, counts{Sent: 1, Exact: 1}},
		"under a header":      {[]sent{a}, []entry{{Text: "[AGENT 1 TO AGENT 2]: message a\n(x)"}}, counts{Sent: 1, Exact: 1}},
		"lost and said ok":    {[]sent{a}, nil, counts{Sent: 1, Lost: 1, Wrong: 1}},
		"lost and said so":    {[]sent{{"message a", not}}, nil, counts{Sent: 1, Lost: 1, Doubted: 1}},
		"lost without a word": {[]sent{{"message a", waits}}, nil, counts{Sent: 1, Lost: 1, Open: 1}},
		"twice":               {[]sent{a}, []entry{{Text: "message a"}, {Text: "message a"}}, counts{Sent: 1, Twice: 1}},
		"merged":              {[]sent{a, b}, []entry{{Text: "message amessage b"}}, counts{Sent: 2, Merged: 2, Wrong: 2}},
		"with the draft": {
			[]sent{a}, []entry{{Text: "half a thoughtmessage a"}}, counts{Sent: 1, Merged: 1, Wrong: 1, DraftSent: 1},
		},
		"a dialog answered": {
			[]sent{a}, []entry{{Dialog: "yes"}, {Text: "message a"}}, counts{Sent: 1, Exact: 1, Answered: 1},
		},
		"a dialog refused": {[]sent{a}, []entry{{Dialog: "no"}, {Text: "message a"}}, counts{Sent: 1, Exact: 1}},
	} {
		if got := judge(c.messages, c.logged); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

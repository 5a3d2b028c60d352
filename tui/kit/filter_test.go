package kit

import "testing"

func TestFilterMatchesEachWord(t *testing.T) {
	for _, c := range []struct {
		filter, name, other string
		want                bool
	}{
		{"", "coder", "", true},
		{"cdr", "coder", "", true},
		{"cdr", "tester", "codes the parser", false},
		{"PARS", "tester", "codes the parser", true},
		{"tst parser", "tester", "codes the parser", true},
		{"tst store", "tester", "codes the parser", false},
		{"svc-12", "svc-12-api", "", true},
		{"svc-12", "svc-21-api", "", false},
	} {
		var f Filter
		f.Insert(c.filter)
		if got := f.Matches(c.name, c.other); got != c.want {
			t.Errorf("%q matches %s (%s): %v, want %v", c.filter, c.name, c.other, got, c.want)
		}
	}
}

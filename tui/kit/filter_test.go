package kit

import (
	"slices"
	"strings"
	"testing"
)

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

func TestTheBestMatchComesFirst(t *testing.T) {
	for _, c := range []struct{ filter, want string }{
		{"", "tester recoder coder decoder"},
		{"coder", "coder recoder decoder tester"},
		{"COD", "coder recoder decoder tester"},
		{"dec", "decoder tester recoder coder"},
		{"zzz", "tester recoder coder decoder"}, // what passes by its other texts keeps its order
	} {
		var f Filter
		f.Insert(c.filter)
		list := strings.Fields("tester recoder coder decoder")
		first := Best(&f, list, func(s *string) string { return *s }, AsTheyAre)
		if got := strings.Join(list, " "); got != c.want || first != (c.filter != "") {
			t.Errorf("%q: %s, the marker goes there: %v; want %s", c.filter, got, first, c.want)
		}
		again := slices.Clone(list)
		if Best(&f, list, func(s *string) string { return *s }, AsTheyAre) || !slices.Equal(list, again) {
			t.Errorf("%q: the marker is taken away again, or the order changes", c.filter)
		}
	}
}

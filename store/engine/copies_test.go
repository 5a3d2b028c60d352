package engine

import (
	"testing"
	"time"
)

func TestCopyNamesAreRead(t *testing.T) {
	at := time.Date(2026, 11, 22, 14, 5, 6, 789e6, time.UTC)
	for _, want := range []Copy{{Made: at}, {Made: at, Before: 20}} {
		if got, ok := parseCopy(want.name()); !ok || got != want {
			t.Errorf("%s: got %+v, %t", want.name(), got, ok)
		}
	}
	for _, name := range []string{"parley.db", "parley-20261122T140506.789.db.part", "parley-db-wal.damaged",
		"parley-x.db"} {
		if got, ok := parseCopy(name); ok {
			t.Errorf("%s: got %+v, want no copy", name, got)
		}
	}
}

// Each letter is a copy of 10 bytes, the newest first, on a day of its own; M is one from before a migration, and a dot
// another one of the same day.
func TestSurplusKeepsTheNewestCopies(t *testing.T) {
	for _, test := range []struct {
		have  string
		keep  int
		space int64
		want  string // what is dropped
	}{
		{have: "", keep: 3},
		{have: "a", keep: 3, space: 1},
		{have: "abc", keep: 3},
		{have: "abcde", keep: 3, want: "de"},
		{have: "a..b.cd", keep: 3, want: "..d"},
		{have: "abcM", keep: 3},
		{have: "abcMdM", keep: 3, want: "dM"},
		{have: "Mabc", keep: 3, want: "c"},
		{have: "abc", keep: 3, space: 25, want: "c"},
		{have: "abc", keep: 3, space: 5, want: "bc"},
	} {
		var list []Copy
		day := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
		for _, letter := range test.have {
			if letter != '.' {
				day = day.AddDate(0, 0, -1)
			}
			c := Copy{Path: string(letter), Size: 10, Made: day}
			if letter == 'M' {
				c.Before = 20
			}
			list = append(list, c)
		}

		got := ""
		for _, c := range (Copies{Keep: test.keep, Space: test.space}).surplus(list) {
			got += c.Path
		}
		if got != test.want {
			t.Errorf("%s, %d in %d bytes: dropped %q, want %q", test.have, test.keep, test.space, got, test.want)
		}
	}
}

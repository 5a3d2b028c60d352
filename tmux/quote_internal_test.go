package tmux

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuoteUsesOnlyPrintableBytes(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	for _, c := range []byte(quote(string(all))) {
		if c < 0x20 || c > 0x7e {
			t.Errorf("byte %#x", c)
		}
	}
	if got, want := quote("~a~\"$\\\n"), `"\176a~\"\$\\\012"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSplitFields(t *testing.T) {
	got := splitFields(`a|b~1c||d\|~01 x`)
	if diff := cmp.Diff([]string{"a", "b|c", "", `d\`, "~1 x"}, got); diff != "" {
		t.Error(diff)
	}
}

package profile

import (
	"regexp"
	"slices"
	"testing"
)

func TestWhatAMarkerNeeds(t *testing.T) {
	for _, c := range []struct {
		marker string
		words  []string
	}{
		{`^ *[›>] \d+\. .*\n`, []string{". "}},
		{`^\s+x+esc to \w*interrupt|(?:a queue){2}y`, []string{"interrupt", "a queue"}},
		{`(?:working)?\d+`, nil},
		{`(?:working)*|a`, nil},
		{`(?i:press enter)`, nil},
		{`(?P<text>try again).*|[ab]`, nil},
		{`(?P<text>try again).*\.`, []string{"try again"}},
	} {
		if got := needed(regexp.MustCompile("(?m)" + c.marker)); !slices.Equal(got, c.words) {
			t.Errorf("%s needs one of %q, want %q", c.marker, got, c.words)
		}
	}
}

package tmux

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

func TestScreenTail(t *testing.T) {
	lines := []string{"a", "b  ", "c", "", " ", ""}
	s := must.Have(parseScreen("%1|80|6|2|1|0|0|0|0|1|1|17|a~1b|1|18|0|16", lines, ScreenOptions{Tail: 2}))(t)
	if diff := cmp.Diff([]string{"b", "c"}, s.Lines); diff != "" || s.Top != 1 || !s.InputOff || !s.Shared ||
		s.CursorLine() != "b" ||
		s.Touched.Unix() != 17 ||
		s.Drawn.Unix() != 18 ||
		!s.CursorHidden || s.Unviewed ||
		s.Title != "a|b" {
		t.Errorf("top %d, cursor line %q: %s", s.Top, s.CursorLine(), diff)
	}
}

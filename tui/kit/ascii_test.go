package kit

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestEveryASCIIShapeIsAsWide(t *testing.T) {
	for shape, plain := range plainShapes {
		if got, want := len(plain), ansi.StringWidthWc(string(shape)); got != want {
			t.Errorf("%q is %d wide, and %q is %d", shape, want, plain, got)
		}
	}
}

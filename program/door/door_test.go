package door_test

import (
	"errors"
	"strings"
	"testing"

	"parley/program/door"
)

// A program whose door nobody has learned to use is typed to, so the reason says that nothing was handed over.
func TestOpenSaysThatAnUnknownDoorIsClosed(t *testing.T) {
	d, err := door.Open(t.Context(), door.Program{Kind: "telex", PID: 1})
	if d != nil || !errors.Is(err, door.ErrClosed) || !strings.Contains(err.Error(), `"telex"`) {
		t.Errorf("got %v, %v, want no door and ErrClosed that names the kind", d, err)
	}
}

package kit

import "testing"

func TestSparksShowSmallestAndLargest(t *testing.T) {
	if got, want := Sparks([]int{0, 1, 50, 100}), "·▁▄█"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

package plain_test

import (
	"testing"

	"parley/plain"
)

// Small amounts of money are told apart, and none looks like nothing.
func TestSmallMoneyIsTold(t *testing.T) {
	for amount, want := range map[float64]string{
		0: "0.00", 0.00001: "under 0.0001", 0.0042: "0.0042", 0.01: "0.01", 0.0157: "0.0157", 0.05: "0.05",
		0.1: "0.10", 1.234: "1.23", 50: "50.00",
	} {
		if got := plain.FormatCost(amount); got != want {
			t.Errorf("%v: got %q, want %q", amount, got, want)
		}
	}
}

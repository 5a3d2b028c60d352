package team

import (
	"slices"
	"testing"
)

func TestNamesAreInTheOrderOfTheirNumbers(t *testing.T) {
	want := []string{"Ann", "ann-2", "ben", "coder", "coder-2", "coder-2b", "coder-02", "coder-10", "coder-10x1",
		"coder-10x11", "coder-99999999999999999999", "coders"}
	got := slices.Clone(want)
	slices.Reverse(got)
	if slices.SortFunc(got, compareNames); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

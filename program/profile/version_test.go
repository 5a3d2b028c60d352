package profile_test

import (
	"testing"

	"parley/program/profile"
)

func TestProfileCoversVersionsBetweenTestedOnes(t *testing.T) {
	for _, c := range []struct {
		version string
		tested  []string
		want    bool
	}{
		{"2.1.197", []string{"2.1.329", "2.1.197"}, true},
		{"2.1.250", []string{"2.1.329", "2.1.197"}, true},
		{"2.1.330", []string{"2.1.329", "2.1.197"}, false},
		{"2.1.33", []string{"2.1.329", "2.1.197"}, false}, // 33 is less than 197
		{"2.1", []string{"2.1.0"}, false},
		{"3.0.0", []string{"2.1.329", "2.1.197"}, false},
		{"0.169.0", []string{"0.169.0"}, true},
		{"0.170.0", []string{"0.169.0"}, false},
		{"7.0", nil, true},
	} {
		if got := (&profile.Profile{Tested: c.tested}).Covers(c.version); got != c.want {
			t.Errorf("%q covers %s: got %v, want %v", c.tested, c.version, got, c.want)
		}
	}
}

func TestOnlyAVersionAfterAllOthersIsNewer(t *testing.T) {
	for _, c := range []struct {
		version string
		others  []string
		want    bool
	}{
		{"2.1.400", []string{"2.1.332", "2.1.197"}, true},
		{"2.1.332", []string{"2.1.332", "2.1.197"}, false},
		{"2.1.9", []string{"2.1.10"}, false},
		{"1.0", []string{"2.1.10"}, false},
		{"2.1.10.1", []string{"2.1.10"}, true},
		{"7.0", nil, false},
	} {
		if got := profile.IsNewer(c.version, c.others); got != c.want {
			t.Errorf("%s is newer than %q: got %v, want %v", c.version, c.others, got, c.want)
		}
	}
}

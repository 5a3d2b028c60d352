package messages

import (
	"testing"
)

func TestCapabilityMatch(t *testing.T) {
	for _, c := range []struct {
		required, has []string
		want          float64
	}{
		{[]string{"Go"}, []string{"go", "sql"}, 1},
		{[]string{"go", "rust"}, []string{"go"}, 0.5},
		{[]string{"go testing"}, []string{"go"}, 0.5},
		{[]string{"test"}, []string{"unit testing"}, 0.5},
		{[]string{"sql", "go testing"}, []string{"SQL", "testing"}, 0.75},
		{[]string{"go"}, []string{"golang", "category"}, 0},
		{[]string{"c"}, []string{"c++", "c#"}, 0},
		{[]string{"go"}, nil, 0},
		{nil, []string{"go"}, 1},
	} {
		if got := capabilityMatch(c.required, c.has); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.has, c.required, got, c.want)
		}
	}
}

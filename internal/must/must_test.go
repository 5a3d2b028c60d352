package must

import (
	"errors"
	"strconv"
	"testing"
)

// failing is a test that remembers whether it failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()      {}
func (f *failing) Fatal(...any) { f.failed = true }

func TestOnlyAnErrorEndsTheTest(t *testing.T) {
	for _, err := range []error{nil, errors.New("broken")} {
		does, has := &failing{}, &failing{}
		Do(does, err)
		Have(1, err)(has)
		if want := err != nil; does.failed != want || has.failed != want {
			t.Errorf("with %v: Do failed %v and Have failed %v, want %v", err, does.failed, has.failed, want)
		}
	}

	if got := Have(strconv.Atoi("7"))(t); got != 7 {
		t.Errorf("got %d, want 7", got)
	}
}

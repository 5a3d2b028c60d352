package must

import (
	"errors"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// failing is a test that remembers whether it failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Fatal(...any)          { f.failed = true }
func (f *failing) Fatalf(string, ...any) { f.failed = true; runtime.Goexit() }

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

func TestWhatNeverComesEndsTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ready := time.Now(), make(chan int, 1)
		ready <- 7
		Become(t, "a second has gone by", func() bool { return time.Since(begun) >= time.Second })
		if got := Come(t, "a number", ready); got != 7 {
			t.Errorf("got %d, want 7", got)
		}

		for name, wait := range map[string]func(*failing){
			"a fact":  func(f *failing) { Become(f, "it", func() bool { return false }) },
			"a value": func(f *failing) { Come(f, "it", make(chan int)) },
		} {
			f, begun, ended := &failing{}, time.Now(), make(chan bool)
			go func() { defer close(ended); wait(f) }()
			if <-ended; !f.failed || time.Since(begun) < Patience {
				t.Errorf("%s: failed %v after %v", name, f.failed, time.Since(begun))
			}
		}
	})
}

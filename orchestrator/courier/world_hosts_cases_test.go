package courier

import (
	"strings"
	"testing"
	"time"

	"parley"
)

// shared tells a story of a host, and returns its world.
func shared(t *testing.T, k *common, check func(*world), events ...event) {
	t.Helper()
	tellShared(t, k, traits{Width: 120, Work: time.Second}, check, events...)
}

func tellShared(t *testing.T, k *common, tr traits, check func(*world), events ...event) {
	t.Helper()
	inBubble(t, func() {
		w := newWorld(&story{Profile: "claude", Shared: true, Traits: tr, Events: events}, k, true)
		broken := w.tell()
		if check(w); broken != nil || t.Failed() {
			t.Errorf("%+v\n%s", broken, strings.Join(w.log, "\n"))
		}
		if w.daemon != nil {
			w.daemon.end()
		}
	})
}

// first returns the delivery that was accepted first, with its message.
func (w *world) first() (*memoryRow, *message) { return w.store.rows[0], w.messages[0] }

func TestAHostTypesNothingWithoutItsLease(t *testing.T) {
	shared(t, newCommon(), func(w *world) {
		row, m := w.first()
		back := w.began.Add(35 * time.Second)
		if !row.job.State.Delivered() || len(m.got) != 1 || m.got[0].Before(back) {
			t.Errorf("the message is %s, and came at %v", row.job.State, m.got)
		}
	}, event{At: 5 * time.Second, Do: "cut", For: 30 * time.Second}, send(22*time.Second))
}

// Its key is lost. Its time would be over when the server can be reached again, and before the lease is renewed.
func TestASecondKeyWaitsForTheLease(t *testing.T) {
	tellShared(t, newCommon(), traits{Width: 120, Work: time.Second, Draw: 4 * time.Second}, func(w *world) {
		row, m := w.first()
		if back := w.began.Add(35 * time.Second); !row.job.State.Delivered() || len(m.got) != 1 ||
			m.got[0].Before(back) {
			t.Errorf("the message is %s, and came at %v", row.job.State, m.got)
		}
		if strings.Contains(strings.Join(w.log, "\n"), "unconfirmed") {
			t.Error("it was given up meanwhile")
		}
	}, send(14900*time.Millisecond), event{At: 15 * time.Second, Do: "lose keys", N: 1},
		event{At: 15 * time.Second, Do: "cut", For: 19 * time.Second})
}

func TestWhatWaitsForAHostThatIsAwayGoesWhenItIsBack(t *testing.T) {
	shared(t, newCommon(), func(w *world) {
		if row, m := w.first(); row.job.Code() == parley.HoldHostAway || len(m.got) != 1 {
			t.Errorf("the message is %s (%s), and came at %v", row.job.State, row.job.Code(), m.got)
		}
		if !strings.Contains(strings.Join(w.log, "\n"), "is held, for its host is away") {
			t.Error("nothing was held meanwhile")
		}
	}, event{At: 2 * time.Second, Do: "sleep", What: "alone", N: 1, For: 25 * time.Second}, send(4*time.Second),
		send(8*time.Second))
}

// The daemon sleeps at each of its steps in turn, and another one becomes its host.
func TestADaemonThatSleptTypesNothingMore(t *testing.T) {
	k := newCommon()
	taken := false
	for step := 1; step <= 40; step++ {
		shared(t, k, func(w *world) {
			if row, m := w.first(); len(m.got) > 1 || !row.job.State.Delivered() {
				t.Errorf("asleep at step %d: the message is %s, and came at %v", step, row.job.State, m.got)
			}
			taken = taken || w.hosts.epoch > 1
		}, event{At: 4 * time.Second, Do: "sleep", N: step, For: 25 * time.Second}, send(5*time.Second))
	}
	if !taken {
		t.Error("no other daemon became the host")
	}
}

package admission

import (
	"fmt"
	"testing"
	"time"
)

func TestNumberOfRegistrationOriginsIsBounded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var d Registrations
	for n := range 3 * maxOrigins {
		takeToken(d.bucket(fmt.Sprint(n), 2, now), now)
	}

	if len(d.from) > maxOrigins+1 {
		t.Errorf("%d places are remembered, want %d at most", len(d.from), maxOrigins)
	}
	if _, taken := takeToken(d.bucket("one more", 2, now), now); taken != nil {
		t.Error("with too many busy places there is no limit any more")
	}

	now = now.Add(time.Minute)
	if _, taken := takeToken(d.bucket("later", 2, now), now); taken == nil {
		t.Error("after a minute the places are not forgotten")
	}
}

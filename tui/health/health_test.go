package health

import (
	"fmt"
	"testing"
	"time"

	"parley"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestMeterForgetsOldSpans(t *testing.T) {
	m := newMeter()
	for i := range 5000 {
		at := noon.Add(time.Duration(i) * meterSpan)
		m.take([]parley.Event{{Seq: int64(i + 1), Type: parley.EventDirectMessage, Time: at, MessageID: fmt.Sprint(i)}})
	}
	if len(m.open) > 2*meterOpen || len(m.spans) > 2*meterSpans {
		t.Errorf("it keeps %d messages and %d spans", len(m.open), len(m.spans))
	}
}

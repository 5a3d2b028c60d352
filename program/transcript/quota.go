package transcript

import (
	"encoding/json"
	"fmt"
	"time"

	"parley"
)

// Quotas says which lines tell what is used of the account's quota.
type Quotas struct {
	Lines   Which         `yaml:"lines,omitempty"`
	At      string        `yaml:"at"`
	Windows []QuotaWindow `yaml:"windows"`
}

// QuotaWindow says where a line tells of one window. It is left out where nothing is used or known of it.
type QuotaWindow struct {
	Used    string `yaml:"used"`    // in percent
	Minutes string `yaml:"minutes"` // how long it is
	Resets  string `yaml:"resets"`  // when it begins again, in seconds since 1970
}

// QuotaIn returns what one line of a transcript tells of the account's quota, nil if it tells nothing.
func (f *Format) QuotaIn(line []byte) *parley.Quota {
	r := &f.Quotas
	if !r.Lines.mayBe(line) {
		return nil
	}
	l, ok := open(line)
	if !ok || !r.Lines.are(l) {
		return nil
	}

	q := parley.Quota{At: l.time(r.At)}
	for _, w := range r.Windows {
		used, ok := l.find(w.Used).(json.Number)
		percent, err := used.Float64()
		if !ok || err != nil || percent < 0 {
			continue
		}
		n := numbers{fields: l}
		minutes, seconds := n.orZero(w.Minutes), n.orZero(w.Resets)
		if n.unknown || minutes <= 0 {
			continue
		}
		window := parley.QuotaWindow{Name: windowName(minutes), Used: percent}
		if seconds > 0 {
			at := time.Unix(seconds, 0).UTC()
			window.ResetsAt = &at
		}
		q.Windows = append(q.Windows, window)
	}
	if q.At.IsZero() || len(q.Windows) == 0 {
		return nil
	}
	return &q
}

// windowName names a window by its length: 5h, 7d.
func windowName(minutes int64) string {
	switch {
	case minutes%(24*60) == 0:
		return fmt.Sprint(minutes/(24*60), "d")
	case minutes%60 == 0:
		return fmt.Sprint(minutes/60, "h")
	}
	return fmt.Sprint(minutes, "min")
}

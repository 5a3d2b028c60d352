package when

import (
	"fmt"
	"strings"
	"time"
)

// ParsePast parses a word of a filter: a time before now such as 2h, 09:30, today, monday or 2026-01-31, and whether
// it is a whole day, of which the time is the beginning.
func Past(word string, now time.Time) (at time.Time, day, ok bool) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch word {
	case "today":
		return midnight, true, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), true, true
	}

	for back := range 7 {
		d := midnight.AddDate(0, 0, -back)
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(d.Weekday().String()), word) {
			return d, true, true
		}
	}

	if n, unit := 0, ""; len(word) > 1 {
		if _, err := fmt.Sscanf(word, "%d%s", &n, &unit); err == nil {
			units := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
				"w": 7 * 24 * time.Hour}
			if u, known := units[unit]; known && n > 0 && n < 10_000 {
				return now.Add(-time.Duration(n) * u), false, true
			}
		}
	}

	if t, err := time.ParseInLocation("15:04", word, now.Location()); err == nil {
		return midnight.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute), false, true
	}
	for _, form := range []string{"2006-01-02", "2.1.2006"} {
		if t, err := time.ParseInLocation(form, word, now.Location()); err == nil {
			return t, true, true
		}
	}

	return time.Time{}, false, false
}

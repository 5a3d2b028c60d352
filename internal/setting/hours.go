package setting

import (
	"strings"
	"time"
)

// Hours are a part of each day, given as times since midnight. They may end on the next day. If both
// times are equal there are none.
type Hours struct{ From, To time.Duration }

// Has reports whether a time of day is in the hours.
func (h Hours) Has(now time.Time) bool {
	of := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute
	if h.From <= h.To {
		return h.From <= of && of < h.To
	}
	return of >= h.From || of < h.To
}

// ParseHours parses two times of day, such as 22:00-07:00. The second one may be 24:00. An empty text
// has no hours.
func ParseHours(text string) (h Hours, ok bool) {
	if text == "" {
		return h, true
	}

	begin, end, ok := strings.Cut(text, "-")
	from, err1 := parseTimeOfDay(begin)
	to, err2 := parseTimeOfDay(end)
	if strings.TrimSpace(end) == "24:00" {
		to, err2 = 24*time.Hour, nil
	}

	return Hours{from, to}, ok && err1 == nil && err2 == nil
}

func parseTimeOfDay(text string) (time.Duration, error) {
	at, err := time.Parse("15:04", strings.Trim(text, " "))
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, err
}

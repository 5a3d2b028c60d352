package when

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Forms describes the times that Parse understands.
const Forms = `"2026-12-01T10:00:00Z", "2026-12-01 10:00", "2026-12-01", "14:30", "20 minutes" or a Unix time`

var (
	spanForm = regexp.MustCompile(`^(\d+(?:\.\d+)?) ?(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)$`)
	dayForm  = regexp.MustCompile(`^(today|tomorrow|yesterday)(?:[ ,]+(?:at )?(.+))?$`)
)

// maxRelative is the largest number that counts as seconds from now. A larger one is a Unix time.
const maxRelative = 366 * 24 * 3600

// localForms are times without a zone, which are in the zone of now.
var localForms = []string{
	"2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04:05.999999999",
}

// zonedForms are times with a zone.
var zonedForms = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04Z07:00"}

// Parse parses a time as people and models write it. What has no zone is in that of now. A span, or a number
// of seconds, counts from now: forwards if ahead, else backwards. A day means its end if ahead, else its
// beginning; a time of day alone is the next one if ahead, else the one of today.
func Parse(text string, now time.Time, ahead bool) (time.Time, bool) {
	text = strings.Join(strings.Fields(text), " ")
	for _, form := range zonedForms {
		if at, err := time.Parse(form, strings.ToUpper(text)); err == nil {
			return at, true
		}
	}
	for _, form := range localForms {
		if at, err := time.Parse(form, strings.ToUpper(text)); err == nil {
			return onClocks(at, now.Location()), true
		}
	}

	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return ofDay(day, now.Location(), ahead), true
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return numbered(n, now, ahead)
	}

	return parseRelative(strings.ToLower(text), now, ahead)
}

// parseRelative parses a text that says how far a time is from now.
func parseRelative(text string, now time.Time, ahead bool) (time.Time, bool) {
	if text == "now" {
		return now, true
	}
	if m := dayForm.FindStringSubmatch(text); m != nil {
		days := map[string]int{"yesterday": -1, "tomorrow": 1}[m[1]]
		if m[2] == "" {
			return ofDay(dayFrom(now, days), now.Location(), ahead), true
		}
		return clockOn(dayFrom(now, days), now.Location(), m[2])
	}
	if at, ok := clockOn(dayFrom(now, 0), now.Location(), text); ok {
		if ahead && !at.After(now) {
			return clockOn(dayFrom(now, 1), now.Location(), text)
		}
		return at, true
	}

	if rest, ok := strings.CutPrefix(text, "in "); ok {
		text, ahead = rest, true
	} else if rest, ok := strings.CutSuffix(text, " ago"); ok {
		text, ahead = rest, false
	}
	span, ok := parseSpan(text)

	return later(now, span, ahead), ok
}

func later(now time.Time, span time.Duration, ahead bool) time.Time {
	if !ahead {
		span = -span
	}
	return now.Add(span)
}

// parseSpan parses a span of time, such as "20 minutes", "1h30m" and "3d".
func parseSpan(text string) (time.Duration, bool) {
	if m := spanForm.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64) // digits
		unit := map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 24 * 3600, 'w': 7 * 24 * 3600}[m[2][0]]
		return seconds(n * unit)
	}
	span, err := time.ParseDuration(text)
	return span, err == nil && span >= 0
}

// seconds converts to a duration; a hundred years are too many.
func seconds(n float64) (time.Duration, bool) {
	return time.Duration(n * float64(time.Second)), n >= 0 && n < 100*maxRelative
}

// numbered reads a number: seconds from now, or a Unix time in seconds or milliseconds.
func numbered(n float64, now time.Time, ahead bool) (time.Time, bool) {
	if n < 0 || math.IsNaN(n) || n > 1e14 {
		return time.Time{}, false
	}
	if n <= maxRelative {
		span, ok := seconds(n)
		return later(now, span, ahead), ok
	}
	if n > 1e11 {
		n /= 1000
	}
	whole, part := math.Modf(n)
	return time.Unix(int64(whole), int64(part*1e9)).In(now.Location()), true
}

// A day is its midnight in UTC, which each day has. Where the clocks are changed, others have none.

// dayFrom returns the day that is so many days from a time.
func dayFrom(now time.Time, days int) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, time.UTC)
}

// ofDay returns the end of a day in a zone if ahead, else its beginning.
func ofDay(day time.Time, zone *time.Location, ahead bool) time.Time {
	if ahead {
		return onClocks(day.AddDate(0, 0, 1), zone).Add(-time.Second)
	}
	return onClocks(day, zone)
}

func clockOn(day time.Time, zone *time.Location, text string) (time.Time, bool) {
	for _, form := range []string{"15:04", "15:04:05", "3pm", "3:04pm", "3 pm", "3:04 pm"} {
		if at, err := time.Parse(form, text); err == nil {
			return onClocks(time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), at.Second(), 0,
				time.UTC), zone), true
		}
	}
	return time.Time{}, false
}

// Past parses a word of a filter: a time before now such as 2h, 09:30, today, monday or 2026-01-31, and whether
// it is a whole day, of which the time is the beginning.
func Past(word string, now time.Time) (at time.Time, day, ok bool) {
	zone := now.Location()
	for back, name := range []string{"today", "yesterday"} {
		if word == name {
			return onClocks(dayFrom(now, -back), zone), true, true
		}
	}
	for back := range 7 {
		d := dayFrom(now, -back)
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(d.Weekday().String()), word) {
			return onClocks(d, zone), true, true
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

	if _, err := time.Parse("15:04", word); err == nil {
		at, ok := clockOn(dayFrom(now, 0), zone, word)
		return at, false, ok
	}
	for _, form := range []string{time.DateOnly, "2.1.2006"} {
		if t, err := time.Parse(form, word); err == nil {
			return onClocks(t, zone), true, true
		}
	}

	return time.Time{}, false, false
}

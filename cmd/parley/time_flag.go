package main

import (
	"errors"
	"strings"
	"time"
)

// timeForms describes the times that a timeFlag accepts.
const timeForms = "10m, 2h, 3d, 14:30, 2026-01-31, or a time of RFC 3339"

// timeFlag is the value of a flag that takes a time: one of timeForms. Its string is of RFC 3339,
// and empty until it is set.
type timeFlag struct{ at time.Time }

var errNoTime = errors.New("give " + timeForms)

// Set takes a time. The error is errNoTime.
func (f *timeFlag) Set(text string) (err error) {
	if f.at, err = parseTime(text, time.Now()); err != nil {
		return errNoTime
	}
	return nil
}

func (f *timeFlag) String() string {
	if f.at.IsZero() {
		return ""
	}
	return f.at.Format(time.RFC3339Nano)
}

// Type is shown in the help.
func (f *timeFlag) Type() string { return "time" }

// parseTime parses a duration back from now, a time of today, a day, or a full time.
func parseTime(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if span, err := time.ParseDuration(days + "h"); err == nil && span >= 0 {
			return now.Add(-24 * span), nil
		}
	}

	if span, err := time.ParseDuration(text); err == nil && span >= 0 {
		return now.Add(-span), nil
	}
	if t, err := time.ParseInLocation("15:04", text, now.Location()); err == nil {
		return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location()), nil
	}

	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}

	return time.Parse(time.RFC3339Nano, text)
}

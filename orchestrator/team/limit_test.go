package team

import (
	"testing"
	"time"

	"parley/program/profile"
)

func TestLimitEndsWhenItsWordsSaid(t *testing.T) {
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, 11, 22, hour, minute, second, 0, time.Local)
	}
	limited := func(words string) *profile.Reading {
		return &profile.Reading{Shows: profile.Blocked, Cause: profile.UsageLimit, LimitEnds: words}
	}

	var l LimitTimer
	if got := l.See(limited("resets 3pm"), at(14, 0, 0)); !got.On || !got.Until.Equal(at(15, 0, 0)) {
		t.Errorf("seen at 14:00: %+v, want until 15:00", got)
	}

	// The same words later are the same limit, and not tomorrow's; nor does a redraw end it.
	l.See(&profile.Reading{Shows: profile.Unknown}, at(15, 10, 0))
	if got := l.See(limited("resets 3pm"), at(15, 10, 1)); !got.Until.Equal(at(15, 0, 0)) {
		t.Errorf("seen again at 15:10: %+v, want until 15:00", got)
	}
	if !l.Over(at(15, 10, 0)) || l.Over(at(15, 0, 29)) {
		t.Error("it is over half a minute after 15:00, and not before")
	}

	// After one message the screen has to change.
	if l.Resume(); l.Over(at(15, 10, 0)) {
		t.Error("a second message would go into the same limit")
	}

	l.See(&profile.Reading{Shows: profile.Busy}, at(15, 11, 0))
	if got := l.See(limited("resets 3pm"), at(15, 12, 0)); !got.Until.Equal(at(15, 0, 0).AddDate(0, 0, 1)) {
		t.Errorf("after it has worked: %+v, want until tomorrow", got)
	}
}

func TestLimitOfAnEarlierDaemonIsNotReadAsTomorrows(t *testing.T) {
	began := time.Date(2026, 11, 22, 14, 0, 0, 0, time.Local)
	var l LimitTimer
	l.Began(began)
	got := l.See(&profile.Reading{Shows: profile.Blocked, Cause: profile.UsageLimit, LimitEnds: "resets 3pm"},
		began.Add(2*time.Hour))
	if want := began.Add(time.Hour); !got.Until.Equal(want) || !l.Over(began.Add(2*time.Hour)) {
		t.Errorf("got %+v, want until %s, which is over", got, want)
	}
}

func TestUnknownEndIsNeverOver(t *testing.T) {
	var l LimitTimer
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.Local)
	got := l.See(&profile.Reading{Shows: profile.Blocked, Cause: profile.UsageLimit, LimitEnds: "resets soon"}, now)
	if !got.On || !got.Until.IsZero() || l.Over(now.AddDate(1, 0, 0)) {
		t.Errorf("got %+v, want a limit whose end is not known", got)
	}
	if got := got.Words(); got != "; when it ends is not known" {
		t.Errorf("it says %q", got)
	}
}

package orchestrator

import (
	"testing"
	"time"

	"parley/store"
)

func TestMessagesAreKeptForEverByDefault(t *testing.T) {
	var s Settings
	s.setDefaults()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	season := now.AddDate(0, 0, -90)
	if got, want := s.retention(now), (store.Retention{Events: season, Log: season, Steps: season}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}

	s.KeepMessages = time.Hour
	if got := s.retention(now).Messages; !got.Equal(now.Add(-time.Hour)) {
		t.Errorf("messages are kept since %v, want the last hour", got)
	}
}

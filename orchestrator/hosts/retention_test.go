package hosts

import (
	"testing"
	"time"

	"parley/orchestrator/settings"
	"parley/store"
)

func TestMessagesAreKeptForEverByDefault(t *testing.T) {
	var s settings.Settings
	s.SetDefaults()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	season := now.AddDate(0, 0, -90)
	if got, want := retention(&s, now), (store.Retention{Events: season, Log: season, Steps: season}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}

	s.KeepMessages = time.Hour
	if got := retention(&s, now).Messages; !got.Equal(now.Add(-time.Hour)) {
		t.Errorf("messages are kept since %v, want the last hour", got)
	}
}

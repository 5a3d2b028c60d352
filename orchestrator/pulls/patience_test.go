package pulls

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/store/storetest"
)

// patient is a watcher of one pull request, whose clock goes from look to look.
type patient struct {
	dir   string
	now   time.Time
	looks []time.Time
	told  []time.Time // when a notice came
	texts string      // of all notices
	*Watcher
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	x := &patient{dir: t.TempDir(), now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
	gh := filepath.Join(x.dir, "gh")
	must.Do(t, os.WriteFile(gh, []byte("#!/bin/sh\necho >>looks\ncat answer.json\n"), 0o755))

	s, log := storetest.Open(t), slog.New(slog.DiscardHandler)
	a := parley.Agent{ID: team.NewID(), Name: "coder", Kind: parley.KindTerminal, State: parley.StateIdle,
		Pull: &parley.PullRequest{
			Number: 7, URL: "https://github.com/a/b/pull/7", State: parley.PullOpen, Since: x.now,
		}}
	must.Do(t, s.Agents.CreateAgent(t.Context(), a, nil))
	must.Do(t, s.Agents.SetPullRequest(t.Context(), a.ID, a.Pull))

	roster := must.Have(team.Load(t.Context(), s, func() time.Time { return x.now }, log))(t)
	t.Cleanup(roster.Close)
	set := &settings.Settings{}
	set.MaxText, set.PullRequestCommand, set.PullRequestEvery = 2000, gh, time.Minute
	x.Watcher = New(Options{
		Roster: roster, Settings: set, Dir: x.dir, Now: func() time.Time { return x.now }, Log: log,
		Notify: func(_ context.Context, _ *team.Member, text, _ string) error {
			x.told, x.texts = append(x.told, x.now), x.texts+text
			return nil
		},
	})
	return x
}

// look lets the clock go to the next look. The pull request has so many comments then.
func (x *patient) look(t *testing.T, comments int) {
	t.Helper()
	var all []string
	for n := range comments {
		all = append(all, fmt.Sprintf(`{"id":"c%d","body":"comment %d!","authorAssociation":"OWNER","author":{"login":"al"},
			"createdAt":"2026-01-02T03:04:05Z"}`, n, n))
	}
	must.Do(t, os.WriteFile(filepath.Join(x.dir, "answer.json"), []byte(`{"data":{"repository":{"pullRequest":{
		"state":"OPEN","comments":{"nodes":[`+strings.Join(all, ",")+`]}}}}}`), 0o600))

	x.now = x.now.Add(x.lookAll(t.Context()))
	if made, _ := os.ReadFile(filepath.Join(x.dir, "looks")); len(made) > len(x.looks) {
		x.looks = append(x.looks, x.now)
	}
}

// A watcher tells at most so much in an hour, and all of it in the end, once.
func TestNoticesAreFewInAnHourAndTellAll(t *testing.T) {
	x := newPatient(t)
	for n := range 90 {
		x.look(t, n)
	}
	for range 150 {
		x.look(t, 90)
	}

	most := 0
	for i, at := range x.told {
		before, _ := slices.BinarySearchFunc(x.told, at.Add(-time.Hour), time.Time.Compare)
		most = max(most, i-before+1)
	}
	if most != mostAnHour {
		t.Errorf("%d notices came within an hour, want %d", most, mostAnHour)
	}
	all := regexp.MustCompile(`comment \d+!`).FindAllString(x.texts, -1)
	if n := len(all); n != 90 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != n {
		t.Errorf("%d comments were told, want each of 90 once", n)
	}
}

// While nothing goes on, a watcher looks more and more seldom, and as often as at first when something does.
func TestLooksGetRarerWhileNothingGoesOn(t *testing.T) {
	x := newPatient(t)
	waits := func(comments, looks int) (all []time.Duration) {
		for n := len(x.looks) + looks; len(x.looks) < n; {
			x.look(t, comments)
		}
		for i, at := range x.looks[len(x.looks)-looks:] {
			if i > 0 {
				all = append(all, at.Sub(x.looks[len(x.looks)-looks+i-1]))
			}
		}
		return all
	}

	const m = time.Minute
	if got := waits(0, 7); !slices.Equal(got, []time.Duration{4 * m, 8 * m, 10 * m, 10 * m, 10 * m, 10 * m}) {
		t.Errorf("quiet, it waits %v", got)
	}
	if got := waits(1, 4); !slices.Equal(got, []time.Duration{2 * m, 4 * m, 8 * m}) {
		t.Errorf("after a comment, it waits %v", got)
	}
}

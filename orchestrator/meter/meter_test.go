package meter

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/store/storetest"
)

// stage is a meter with one agent, coder, whose program is Qwen Code.
type stage struct {
	*Meter
	store  *store.Store
	coder  *team.Member
	path   string // of coder's transcript
	now    time.Time
	paused []string // why communication was paused
	edited []string // by coder

	byPerson bool // a person has paused communication
}

func newStage(t *testing.T, change func(*Options)) *stage {
	t.Helper()
	s := &stage{now: began.Add(time.Hour), path: filepath.Join(t.TempDir(), "t.jsonl"), store: storetest.Open(t)}
	log := slog.New(slog.DiscardHandler)
	roster := must.Have(team.Load(t.Context(), s.store, s.clock, log))(t)
	t.Cleanup(roster.Close)
	must.Do(t, roster.EnsureOperator(t.Context(), nil))

	a := parley.Agent{ID: team.NewID(), Name: "coder", Kind: parley.KindTerminal, State: parley.StateIdle}
	must.Do(t, s.store.Agents.CreateAgent(t.Context(), a, nil))
	s.coder = team.NewMember(a)
	profiles := must.Have(profile.Builtin())(t)
	s.coder.SetTerminal(&team.Terminal{Profile: must.Have(profiles.Find("qwen"))(t), Started: began})
	roster.Add(s.coder)

	opts := Options{Store: s.store, Roster: roster, Forms: profiles.Transcript, Now: s.clock, Log: log,
		Pause: s.pauseFor, Edited: s.noteEdit}
	if change != nil {
		change(&opts)
	}
	s.Meter = New(opts)

	return s
}

func (s *stage) clock() time.Time { return s.now }

func (s *stage) pauseFor(_ context.Context, reason string) (paused bool, err error) {
	if s.byPerson {
		return false, nil
	}
	s.paused = append(s.paused, reason)
	return true, nil
}

func (s *stage) noteEdit(_, path string, _ time.Time) { s.edited = append(s.edited, path) }

// writes appends to coder's transcript, and lets the meter look.
func (s *stage) writes(t *testing.T, text string) {
	t.Helper()
	f := must.Have(os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
	must.Have(f.WriteString(text))(t)
	must.Do(t, f.Close())
	must.Do(t, s.look(t.Context()))
}

func TestUseIsNotKnownBeforeATranscriptIs(t *testing.T) {
	s := newStage(t, nil)
	must.Do(t, s.look(t.Context()))
	if _, unknown := s.Today(s.coder.ID); unknown != parley.UsageNoTranscript {
		t.Errorf("before it told: %q", unknown)
	}

	s.coder.Reports.NoteTranscript(s.path, s.now)
	must.Do(t, s.look(t.Context()))
	if _, unknown := s.Today(s.coder.ID); unknown != parley.UsageNoTranscript {
		t.Errorf("before there is a file: %q", unknown)
	}
	must.Do(t, os.Mkdir(s.path, 0o700))
	must.Do(t, s.look(t.Context()))
	if _, unknown := s.Today(s.coder.ID); unknown != parley.UsageUnreadable {
		t.Errorf("of something else: %q", unknown)
	}
	must.Do(t, os.Remove(s.path))

	s.writes(t, response("a", 1, 5))
	if spent, unknown := s.Today(s.coder.ID); unknown != "" || spent.Total() != 6 || spent.Responses != 1 {
		t.Errorf("got %+v, %q", spent, unknown)
	}
	s.coder.SetTerminal(&team.Terminal{Profile: &profile.Profile{}})
	must.Do(t, s.look(t.Context()))
	if _, unknown := s.Today(s.coder.ID); unknown != parley.UsageNoReader {
		t.Errorf("of another program: %q", unknown)
	}
}

// A daemon that starts again goes on where the last one ended.
func TestReadingGoesOnAfterARestart(t *testing.T) {
	s := newStage(t, nil)
	s.coder.Reports.NoteTranscript(s.path, s.now)
	s.writes(t, response("a", 1, 5))

	s.Meter = New(s.opts)
	must.Do(t, s.load(t.Context()))
	s.coder.Reports.Forget()
	profiles := must.Have(profile.Builtin())(t)
	s.coder.SetTerminal(&team.Terminal{Profile: must.Have(profiles.Find("qwen"))(t)}) // it began at a time not known
	s.writes(t, response("a", 1, 5)+response("b", 2, 7))
	if spent, unknown := s.Today(s.coder.ID); unknown != "" || spent.Responses != 2 || spent.Output != 12 {
		t.Errorf("got %+v, %q", spent, unknown)
	}

	all := must.Have(s.Programs(t.Context(), "", time.Time{}))(t)
	if len(all) != 1 || all[0].Agent != "coder" || all[0].Output != 12 || len(all[0].Days) != 1 {
		t.Errorf("got %+v", all)
	}
}

func TestABudgetWarnsThenHolds(t *testing.T) {
	s := newStage(t, func(o *Options) {
		o.Agents = map[string]Budget{"coder": {Tokens: 100, WarnAt: 80, Then: "hold"}}
	})
	s.coder.Reports.NoteTranscript(s.path, s.now)

	s.writes(t, response("a", 1, 78))
	used := parley.BudgetUse{Percent: 79, Used: "79 of 100 tokens", Then: "hold"}
	if b := s.Budget(s.coder.ID); b == nil || *b != used || s.Budget("") != nil {
		t.Errorf("the budget is at %+v, want %+v, and the team has %+v", b, used, s.Budget(""))
	}
	if n := len(s.Needs()); n != 0 || s.Hold(s.coder.ID) != "" {
		t.Errorf("at 79 %%: %d needs, %q", n, s.Hold(s.coder.ID))
	}
	s.writes(t, response("b", 2, 1))
	needs := s.Needs()
	if len(needs) != 1 || needs[0].Text != "has used 81 % of its budget of today: 81 of 100 tokens" ||
		s.Hold(s.coder.ID) != "" {
		t.Errorf("at 81 %%: %+v, %q", needs, s.Hold(s.coder.ID))
	}
	since := needs[0].Since
	s.now = s.now.Add(time.Minute)
	s.writes(t, response("c", 3, 18))
	needs = s.Needs()
	if s.Hold(s.coder.ID) != "it has used up its budget of today: 100 of 100 tokens" || !needs[0].Since.After(since) {
		t.Errorf("at 100 %%: %q, %+v", s.Hold(s.coder.ID), needs)
	}

	s.now = s.now.Add(24 * time.Hour)
	must.Do(t, s.look(t.Context()))
	if s.Hold(s.coder.ID) != "" || len(s.Needs()) != 0 {
		t.Errorf("on the next day: %q", s.Hold(s.coder.ID))
	}
}

// An hour has what all models of an agent used in it, each at its own price.
func TestHoursAreSummedUpByAgent(t *testing.T) {
	s := newStage(t, func(o *Options) { o.Prices = Prices{"m": {Output: 1_000_000}} })
	s.coder.Reports.NoteTranscript(s.path, s.now)
	other := strings.Replace(response("b", 20, 2), `"model":"m"`, `"model":"free"`, 1)
	s.writes(t, response("a", 10, 3)+other+response("c", 70, 4))

	hours := must.Have(s.Hours(t.Context(), began))(t)
	if len(hours) != 2 {
		t.Fatalf("got %+v", hours)
	}
	first, next := hours[0], hours[1]
	if first.Agent != "coder" || first.Output != 5 || first.Responses != 2 || first.Cost != 3 ||
		len(first.Unpriced) != 1 {
		t.Errorf("the first hour has %+v", first)
	}
	if next.Output != 4 || next.Cost != 4 || next.Hour.Sub(first.Hour) != time.Hour {
		t.Errorf("the next hour has %+v", next)
	}
	if later := must.Have(s.Hours(t.Context(), began.Add(time.Hour)))(t); len(later) != 1 {
		t.Errorf("since then: %+v", later)
	}
}

// A person who resumes is not overruled on the same day.
func TestABudgetOfTheTeamPausesOnceADay(t *testing.T) {
	s := newStage(t, func(o *Options) {
		o.Prices, o.Team = Prices{"m": {Output: 1_000_000}}, Budget{Money: 5, WarnAt: 80, Then: "pause"}
	})
	s.coder.Reports.NoteTranscript(s.path, s.now)
	s.writes(t, response("a", 1, 6))
	s.writes(t, response("b", 2, 1))
	if len(s.paused) != 1 || s.paused[0] != "the team has used up its budget of today: 6.00 of 5.00" {
		t.Errorf("paused for %q", s.paused)
	}

	s.Meter = New(s.opts)
	must.Do(t, s.look(t.Context()))
	if len(s.paused) != 1 {
		t.Errorf("a daemon that starts again paused again: %q", s.paused)
	}

	s.now = s.now.Add(24 * time.Hour)
	s.writes(t, response("c", 24*60+2, 6))
	if len(s.paused) != 2 {
		t.Errorf("on the next day: %q", s.paused)
	}
}

// A budget that is used up while a person has paused communication pauses it when that is over.
func TestABudgetPausesAfterAPersonsPause(t *testing.T) {
	s := newStage(t, func(o *Options) { o.Team = Budget{Tokens: 5, WarnAt: 80, Then: "pause"} })
	s.byPerson = true
	s.coder.Reports.NoteTranscript(s.path, s.now)
	s.writes(t, response("a", 1, 6))
	s.byPerson = false
	must.Do(t, s.look(t.Context()))
	if len(s.paused) != 1 {
		t.Errorf("paused for %q", s.paused)
	}
}

// An edit is passed on once, unless it is from before the agent's time.
func TestEditsArePassedOn(t *testing.T) {
	s := newStage(t, nil)
	s.coder.Reports.NoteTranscript(s.path, s.now)
	edit := func(file string, at time.Time) string {
		return fmt.Sprintf(`{"type":"tool_result","timestamp":"%s","toolCallResult":{"status":"success",`+
			`"resultDisplay":{"fileDiff":"+x","filePath":"%s"}}}`+"\n", at.Format(time.RFC3339), file)
	}
	s.writes(t, edit("/src/old.go", began.Add(-time.Minute))+edit("/src/new.go", began.Add(time.Minute)))
	s.writes(t, response("a", 1, 5))
	if strings.Join(s.edited, " ") != "/src/new.go" {
		t.Errorf("got %q", s.edited)
	}
}

// withDatabase makes a database of opencode that the coder uses, and returns a way to write to it.
func (s *stage) withDatabase(t *testing.T) (path string, writer *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "opencode.db")
	writer = must.Have(sql.Open("sqlite", path))(t)
	t.Cleanup(func() { must.Do(t, writer.Close()) })
	must.Have(writer.Exec(string(must.Have(os.ReadFile("../../program/opencode/testdata/opencode.sql"))(t))))(t)
	s.sources[source{s.coder.ID, path}] = &store.Transcript{AgentID: s.coder.ID, Path: path, Form: "opencode",
		SeenAt: s.now}
	return path, writer
}

// What one session used is not lost where another cannot be read.
func TestSessionsAreCountedWhenAllCanBeRead(t *testing.T) {
	s := newStage(t, nil)
	path, writer := s.withDatabase(t)
	for _, session := range []string{"ses_a", "ses_b"} {
		s.record(source{s.coder.ID, path}).note(session)
	}

	const model = `UPDATE message SET data = json_set(data, '$.modelID', ?) WHERE id = 'msg_8'`
	must.Have(writer.Exec(model, ""))(t)
	must.Do(t, s.look(t.Context()))
	must.Have(writer.Exec(model, "mock"))(t)
	must.Do(t, s.look(t.Context()))

	used := must.Have(s.Programs(t.Context(), "", time.Time{}))(t)[0]
	if used.Responses != 3 || used.Output != 539 {
		t.Errorf("got %+v, want 3 responses", used.Spending)
	}
}

// Of the sessions in one database, those count that the agent has had; its use is not known before.
func TestOneDatabaseForAllSessions(t *testing.T) {
	s := newStage(t, nil)
	path, _ := s.withDatabase(t)
	looks := func() (parley.Spending, parley.UsageUnknown) {
		t.Helper()
		must.Do(t, s.look(t.Context()))
		all := must.Have(s.Programs(t.Context(), "", time.Time{}))(t)
		return all[0].Spending, all[0].Unknown
	}

	if _, unknown := looks(); unknown != parley.UsageNoTranscript {
		t.Errorf("before it has a session: %q", unknown)
	}
	r := s.record(source{s.coder.ID, path})
	r.note("ses_a")
	r.note("ses_a")
	spent, unknown := looks()
	if spent.Responses != 2 || spent.Output != 535 || spent.Input != 7001 || unknown != "" {
		t.Errorf("got %+v, %q", spent, unknown)
	}
	if strings.Join(s.edited, " ") != "/src/hawk.txt /src/kite.txt" {
		t.Errorf("it edited %q", s.edited)
	}
	r.note("ses_b")
	if spent, _ := looks(); spent.Responses != 3 || spent.Output != 539 {
		t.Errorf("with another session: %+v", spent)
	}
}

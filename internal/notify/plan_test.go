package notify

import (
	"testing"
	"time"

	"parley"
	"parley/internal/setting"
)

// noon is a time at which nobody sleeps.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.Local)

func settingsOf(change func(*Settings)) *Settings {
	var s Settings
	setting.Fill(&s)
	if change != nil {
		change(&s)
	}
	return &s
}

func dialogOf(agent string, since time.Time) parley.Need {
	return parley.Need{Kind: parley.NeedDialog, AgentID: agent, Agent: agent, Since: since}
}

// told returns the agents of the needs that a plan tells.
func told(p *plan, s *Settings, now time.Time, needs ...parley.Need) string {
	names := ""
	for _, n := range p.next(s, needs, now) {
		names += n.Agent + " "
	}
	return names
}

func TestANeedIsToldOnceWhenItHasLasted(t *testing.T) {
	s, p, open := settingsOf(nil), &plan{}, dialogOf("coder", noon)
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{59 * time.Second, ""}, {time.Minute, "coder "}, {time.Hour, ""},
	} {
		if got := told(p, s, noon.Add(step.after), open); got != step.want {
			t.Errorf("after %s: got %q, want %q", step.after, got, step.want)
		}
	}
}

func TestTheNextDialogOfAnAgentIsNews(t *testing.T) {
	s, p := settingsOf(nil), &plan{}
	told(p, s, noon.Add(time.Minute), dialogOf("coder", noon))
	next := dialogOf("coder", noon.Add(10*time.Minute))
	if got := told(p, s, noon.Add(11*time.Minute), next); got != "coder " {
		t.Errorf("got %q", got)
	}
}

func TestWhatComesMeanwhileIsToldTogether(t *testing.T) {
	s, p := settingsOf(nil), &plan{}
	first, a, b := dialogOf("first", noon), dialogOf("a", noon.Add(time.Minute)), dialogOf("b", noon.Add(2*time.Minute))
	told(p, s, noon.Add(time.Minute), first)
	if got := told(p, s, noon.Add(5*time.Minute), first, a, b); got != "" {
		t.Errorf("before at_most_every: got %q", got)
	}
	if got := told(p, s, noon.Add(6*time.Minute), first, a, b); got != "a b " {
		t.Errorf("after it: got %q", got)
	}
}

func TestQuietHoursPutOff(t *testing.T) {
	s := settingsOf(func(s *Settings) { s.QuietHours = "22:00-07:00" })
	midnight := time.Date(2026, 5, 5, 0, 0, 0, 0, time.Local)
	p, open, gone := &plan{}, dialogOf("coder", midnight), dialogOf("gone", midnight)
	if got := told(p, s, midnight.Add(time.Hour), open, gone); got != "" {
		t.Errorf("at night: got %q", got)
	}
	if got := told(p, s, midnight.Add(7*time.Hour), open); got != "coder " {
		t.Errorf("in the morning: got %q", got)
	}
}

func TestOnlyWantedKindsAreTold(t *testing.T) {
	held := parley.Need{Kind: parley.NeedHeld, AgentID: "held", Agent: "held", Since: noon}
	own := parley.Need{Kind: parley.NeedNotifier, AgentID: "parley", Agent: "parley", Since: noon}
	now := noon.Add(time.Minute)
	if got := told(&plan{}, settingsOf(nil), now, dialogOf("coder", noon), held, own); got != "coder held " {
		t.Errorf("of all kinds: got %q", got)
	}
	s := settingsOf(func(s *Settings) { s.Kinds = []string{"dialog"} })
	if got := told(&plan{}, s, now, dialogOf("coder", noon), held); got != "coder " {
		t.Errorf("of dialogs: got %q", got)
	}
}

func TestWhatComesBackIsToldAgain(t *testing.T) {
	s, p, open := settingsOf(nil), &plan{}, dialogOf("coder", noon)
	told(p, s, noon.Add(time.Minute), open)
	told(p, s, noon.Add(2*time.Minute))
	if got := told(p, s, noon.Add(10*time.Minute), open); got != "coder " {
		t.Errorf("got %q", got)
	}
}

// Whichever kind was told a moment ago, each other one is told when it is due.
func TestKindsDoNotHoldEachOtherBack(t *testing.T) {
	for _, first := range parley.NeedKinds() {
		for _, second := range parley.NeedKinds() {
			if first == second || first == parley.NeedNotifier || second == parley.NeedNotifier {
				continue
			}
			s, p := settingsOf(nil), &plan{}
			a := parley.Need{Kind: first, AgentID: "a", Agent: "a", Since: noon}
			b := parley.Need{Kind: second, AgentID: "b", Agent: "b", Since: noon.Add(time.Second)}
			told(p, s, noon.Add(time.Minute), a)
			if got := told(p, s, noon.Add(time.Minute+time.Second), a, b); got != "b " {
				t.Errorf("%s after %s: got %q", second, first, got)
			}
		}
	}
}

package notify

import (
	"time"

	"parley"
	"parley/internal/setting"
)

// plan decides what to tell and when. It remembers what was told, as long as that stands.
type plan struct {
	told map[subject]time.Time
	last map[parley.NeedKind]time.Time // when each kind was last told
}

// subject is what a need is about.
type subject struct {
	kind           parley.NeedKind
	agent, message string
}

func subjectOf(n *parley.Need) subject { return subject{n.Kind, n.AgentID, n.MessageID} }

// next returns the needs to tell now, of all that there are. It counts them as told. A kind that was told a moment
// ago holds no other kind back.
func (p *plan) next(s *Settings, needs []parley.Need, now time.Time) (due []parley.Need) {
	p.forget(needs)
	quiet, _ := setting.ParseHours(s.QuietHours)
	if quiet.Has(now) {
		return nil
	}

	for _, n := range needs {
		told, known := p.told[subjectOf(&n)]
		news := !known || n.Since.After(told) // another dialog of the same agent
		last := p.last[n.Kind]
		free := last.IsZero() || now.Sub(last) >= s.AtMostEvery
		if news && free && s.wants(n.Kind) && now.Sub(n.Since) >= s.After {
			due = append(due, n)
		}
	}

	if p.last == nil {
		p.last = map[parley.NeedKind]time.Time{}
	}
	for i := range due {
		p.told[subjectOf(&due[i])] = now
		p.last[due[i].Kind] = now
	}

	return due
}

// forget drops what needs nobody any more.
func (p *plan) forget(needs []parley.Need) {
	still := map[subject]time.Time{}
	for i := range needs {
		if at, ok := p.told[subjectOf(&needs[i])]; ok {
			still[subjectOf(&needs[i])] = at
		}
	}
	p.told = still
}

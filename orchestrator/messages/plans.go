package messages

import (
	"fmt"
	"sync"
	"time"

	"parley"
)

// Plans are what is known of schedules without a look into the database: when the next message for an agent is due,
// and which schedules need the operator.
type Plans struct {
	mu    sync.Mutex
	next  map[string]time.Time // by the recipient's id
	needs []parley.Need
}

// skippedOften is how many times in a row without a message are a matter for the operator.
const skippedOften = 3

// set takes over how the schedules are now.
func (p *Plans) set(ms *Service, list []parley.Schedule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.needs = map[string]time.Time{}, nil
	for i := range list {
		s := &list[i]
		from := ms.Roster.ByID(s.OwnerID)
		if from == nil {
			continue
		}
		if l := s.Last; l != nil && (l.End == parley.ScheduleRefused || s.InARow >= skippedOften) {
			p.needs = append(p.needs, need(s))
		}
		if s.State != parley.ScheduleActive || s.Next == nil || s.Message.ThreadID != "" {
			continue
		}
		to, _ := ms.Admission.Addressees.Recipients(from, s.Message.To) // the time itself says what is wrong with them
		for _, m := range to {
			if at, known := p.next[m.ID]; !known || s.Next.Before(at) {
				p.next[m.ID] = *s.Next
			}
		}
	}
}

// need says what is the matter with a schedule.
func need(s *parley.Schedule) parley.Need {
	times := "a time was"
	if s.InARow > 1 {
		times = fmt.Sprintf("%d times in a row were", s.InARow)
	}
	return parley.Need{
		Kind: parley.NeedPlan, AgentID: s.OwnerID, Agent: s.Owner, Since: s.Last.At,
		Text:    fmt.Sprintf("%s %s of what is planned %s: %s", times, s.Last.End, s.Words(s.Last.At), s.Last.Reason),
		Command: "parley schedule",
		Action:  fmt.Sprintf("See what keeps its messages, or end it: parley schedule remove %s", parley.Short(s.ID)),
	}
}

// Next returns when the next planned message for an agent is due, nil for none.
func (p *Plans) Next(agentID string) *time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, known := p.next[agentID]; known {
		return &at
	}
	return nil
}

// Needs returns the schedules whose times come to nothing.
func (p *Plans) Needs() []parley.Need {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.needs
}

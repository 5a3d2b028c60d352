package talk

import (
	"cmp"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
)

// optionalTime returns nil for the zero time.
func optionalTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

func publicDecision(m *team.Member, d conversation.Decision) parley.ConversationDecision {
	f := parley.ConversationFactors(d.Factors)
	shown := parley.ConversationDecision{
		AgentID:       m.ID,
		Agent:         m.Name,
		ShouldRespond: d.ShouldRespond,
		Reason:        string(d.Reason),
		Confidence:    d.Confidence,
	}
	if f != (parley.ConversationFactors{}) {
		shown.Factors = &f
	}
	return shown
}

func publicSettings(s conversation.Settings) parley.ConversationSettings {
	d := conversation.Defaults()
	return parley.ConversationSettings{
		Off:            s.Off,
		ChainHops:      cmp.Or(s.ChainHops, d.ChainHops),
		PairMinute:     cmp.Or(s.PairMinute, d.PairMinute),
		PairTenMinutes: cmp.Or(s.PairTenMinutes, d.PairTenMinutes),
		CycleRounds:    cmp.Or(s.CycleRounds, d.CycleRounds),
	}
}

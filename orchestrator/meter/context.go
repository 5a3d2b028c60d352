package meter

import (
	"strings"
	"time"

	"parley/orchestrator/team"
	"parley/store"
)

// conversation is how long the conversation of a program was at its last response.
type conversation struct {
	session string // of the program; "" if it is not known
	at      time.Time
	tokens  int64
}

// noteContext notes the last of some responses: what it read and wrote is read again by the next one.
// Subagents have conversations of their own.
func (m *Meter) noteContext(t *store.Transcript, records []store.TokenRecord) {
	member := m.opts.Roster.ByID(t.AgentID)
	if member == nil || strings.Contains(t.Path, "/subagents/") {
		return
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range records {
		if known := m.context[t.AgentID]; !r.At.Before(known.at) {
			m.context[t.AgentID] = conversation{member.Agent().Session.ID, r.At, r.Tokens.Total()}
		}
	}
}

// Context returns how many tokens the conversation of a member's program had at its last response, 0 if
// that is not known, as in a new conversation.
func (m *Meter) Context(member *team.Member) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.context[member.ID]
	if known.session != member.Agent().Session.ID {
		return 0
	}
	return known.tokens
}

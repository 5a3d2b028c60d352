package store

import (
	"fmt"
	"strings"

	"parley"
	"parley/internal/sh"
)

// What is this host's is told from what is another's. With a file, whose host has no name, all is its own.

// ownDeliveries is a condition for a statement about deliveries: those to terminals of this host, and to agents without
// a terminal. Only their host moves those of others on.
func ownDeliveries(host string) string {
	if host == "" {
		return ""
	}
	return fmt.Sprintf(` AND EXISTS (SELECT 1 FROM agents a WHERE a.id = deliveries.recipient_id
		AND (a.kind <> 'terminal' OR a.host IN ('', '%s')))`, strings.NewReplacer("'", "''", "?", "").Replace(host))
}

// isOwn reports whether an agent that is not stopped belongs to a host, if it has a terminal.
func isOwn(own, kind, host string) bool {
	return own == "" || kind != string(parley.KindTerminal) || host == "" || host == own
}

// refuseElsewhere returns AGENT_EXISTS for an agent that another host has, unless it was stopped there.
func (t agentsIn) refuseElsewhere(a *parley.Agent) error {
	if t.Host == "" {
		return nil
	}
	old, err := t.load(a.ID)
	if err != nil || old.State == string(parley.StateTerminated) || isOwn(t.Host, old.Kind, old.Host) {
		return err
	}
	return parley.Errorf(parley.AgentExists, "%s is an agent of host %s", a.Name, old.Host).With("host", old.Host).
		Suggest("Choose another name, or stop it there first: ssh %s parley stop %s", sh.Word(old.Host),
			a.Name)
}

package store

import (
	"fmt"
	"strings"

	"parley"
)

// own tells what is this host's from what is another's. The zero value is for a file, where all is its own.
type own struct {
	host string

	// deliveries is a condition for a statement about deliveries: those to terminals of this host, and to
	// agents without a terminal. Only their host moves those of others on.
	deliveries string
}

func newOwn(host string) own {
	return own{host, fmt.Sprintf(` AND EXISTS (SELECT 1 FROM agents a WHERE a.id = deliveries.recipient_id
		AND (a.kind <> 'terminal' OR a.host IN ('', '%s')))`, strings.NewReplacer("'", "''", "?", "").Replace(host))}
}

// has reports whether an agent that is not stopped belongs to this host, if it has a terminal.
func (o *own) has(kind, host string) bool {
	return o.host == "" || kind != string(parley.KindTerminal) || host == "" || host == o.host
}

// refuseElsewhere returns AGENT_EXISTS for an agent that another host has, unless it was stopped there.
func (o *own) refuseElsewhere(t *tx, a *parley.Agent) error {
	if o.host == "" {
		return nil
	}
	old, err := loadAgent(t, a.ID)
	if err != nil || old.State == string(parley.StateTerminated) || o.has(old.Kind, old.Host) {
		return err
	}
	return parley.Errorf(parley.AgentExists, "%s is an agent of host %s", a.Name, old.Host).With("host", old.Host).
		Suggest("Choose another name, or stop it there first: ssh %s parley stop %s", parley.ShellWord(old.Host), a.Name)
}

package parley

import "time"

// A model pays for what it reads. ForModel returns what of a long answer a model needs; programs get
// the whole answer.

// fewDeliveries are so many that a receipt shows each with its steps.
const fewDeliveries = 3

// ForModel returns the receipt without many deliveries: delivery_status says the same of each recipient.
func (r *SendMessageResult) ForModel() any {
	if len(r.Deliveries) <= fewDeliveries {
		return r
	}
	return struct {
		*SendMessageResult
		Deliveries *struct{} `json:"deliveries,omitempty"`
	}{SendMessageResult: r}
}

// ForModel returns the receipt without many deliveries: delivery_status says the same of each recipient.
func (r *BroadcastMessageResult) ForModel() any {
	if len(r.Deliveries) <= fewDeliveries {
		return r
	}
	return struct {
		*BroadcastMessageResult
		Deliveries *struct{} `json:"deliveries,omitempty"`
	}{BroadcastMessageResult: r}
}

// agentInShort is an agent in a list. Fields without a value are left out.
type agentInShort struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Role         string       `json:"role,omitempty"`
	Description  string       `json:"description,omitempty"`
	Capabilities []string     `json:"capabilities,omitempty"`
	Groups       []string     `json:"groups,omitempty"`
	Kind         AgentKind    `json:"kind"`
	State        AgentState   `json:"state"`
	Since        time.Time    `json:"since"`
	Availability Availability `json:"availability"`
	LimitedUntil *time.Time   `json:"limited_until,omitempty"`
	WaitsFor     string       `json:"waits_for,omitempty"`
	Unread       int          `json:"unread,omitempty"`
	Owed         int          `json:"owed_replies,omitempty"`
	Overdue      int          `json:"overdue_replies,omitempty"`
	Orchestrate  bool         `json:"orchestrate,omitempty"`
}

// ForModel returns a list of agents in short: where they run, and how their states are known, is told
// of one that is asked for by name.
func (r *AgentStatusResult) ForModel() any {
	if len(r.Agents) < 2 {
		return r
	}

	agents := make([]agentInShort, len(r.Agents))
	for i := range r.Agents {
		a := &r.Agents[i]
		agents[i] = agentInShort{
			ID: a.ID, Name: a.Name, Role: a.Role, Description: a.Description, Capabilities: a.Capabilities,
			Groups: a.Groups, Kind: a.Kind, State: a.State, Since: a.Since.Truncate(time.Second),
			Availability: a.Availability, LimitedUntil: a.LimitedUntil, WaitsFor: a.WaitsFor, Unread: a.Unread,
			Owed: a.Owed, Overdue: a.Overdue, Orchestrate: a.Orchestrate,
		}
	}

	return struct {
		*AgentStatusResult
		Agents []agentInShort `json:"agents"`
	}{r, agents}
}

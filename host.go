package parley

import "time"

// Host is a machine that shares the workspace's database, with one daemon.
type Host struct {
	Name      string     `json:"name"`
	Here      bool       `json:"here"`                 // it is the machine of the daemon that answers
	Away      bool       `json:"away"`                 // its daemon does not run, or cannot reach the database
	AwaySince *time.Time `json:"away_since,omitempty"` //
	StartedAt *time.Time `json:"started_at,omitempty"` // of its daemon
	Leads     bool       `json:"leads"`                // it does what one host does for all, such as reminders
	Agents    []string   `json:"agents"`               // with terminals there, but for stopped ones
}

// ListHostsRequest has no parameters.
type ListHostsRequest struct{}

// ListHostsResult lists the hosts by name. A workspace whose database is a file has one.
type ListHostsResult struct {
	Answer
	Hosts []Host `json:"hosts"`
}

// RemoveHostRequest removes a host that is gone for good.
type RemoveHostRequest struct {
	Name string `json:"name" doc:"The host's name, as list_hosts shows it."`
}

// Validate checks the name.
func (r *RemoveHostRequest) Validate() error {
	if r.Name == "" {
		return Errorf(InvalidArgument, "no host was named").With("parameter", "name").
			Suggest("Name one; list_hosts shows them.")
	}
	return nil
}

// RemoveHostResult says what became of what the host had.
type RemoveHostResult struct {
	Answer
	Name       string   `json:"name"`
	Terminated []string `json:"terminated"` // its agents
	Failed     int      `json:"failed"`     // deliveries that waited for them
	Message    string   `json:"message"`
}

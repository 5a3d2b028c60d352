package parley

import (
	"strconv"
	"strings"
	"time"
)

// KeyOrigin says how a key was made.
type KeyOrigin string

// The origins of keys.
const (
	KeyLaunched   KeyOrigin = "launched"   // made for the program of a launched agent; a restart replaces it
	KeyRegistered KeyOrigin = "registered" // returned by register_agent
	KeyIssued     KeyOrigin = "issued"     // made by the operator
	KeyInvitation KeyOrigin = "invitation" // only for registration, by whoever the operator gives it to
)

// KeyIDLength is how many characters of a key are its id, which is not secret.
const KeyIDLength = 15

// Key describes an API key without its secret.
type Key struct {
	KeyID     string     `json:"key_id"` // the key's first 15 characters
	AgentID   string     `json:"agent_id"`
	Agent     string     `json:"agent"`
	Origin    KeyOrigin  `json:"origin"`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used,omitempty"`  // nil if never
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // nil if it does not end by itself
}

// Expired reports whether the key has ended by itself.
func (k *Key) Expired(now time.Time) bool { return k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) }

// The shortest and the longest life of a key that ends by itself.
const (
	minKeyLife = time.Minute
	maxKeyLife = 3650 * 24 * time.Hour
)

// KeyLife parses how long a key lives, in days (30d) or as a duration of Go (12h); 0 for "": without
// an end. The error is INVALID_ARGUMENT.
func KeyLife(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}

	life, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		life = time.Duration(max(0, min(n, 36500))) * 24 * time.Hour
	}
	if err != nil || life < minKeyLife || life > maxKeyLife {
		return 0, Errorf(InvalidArgument, "expires is %q", CleanLine(Truncate(text, 60))).With("parameter", "expires").
			Suggest("Give days or hours, such as 30d or 12h: a minute at least, 3650 days at most.")
	}

	return life, nil
}

// IssueKeyRequest names the agent that the key is for.
type IssueKeyRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id of the agent."`
	Expires string `json:"expires,omitempty" doc:"When the key ends: after days or hours, such as 30d or 12h; never by default." max:"20"`
}

// Validate checks how long the key lives.
func (r *IssueKeyRequest) Validate() error {
	_, err := KeyLife(r.Expires)
	return err
}

// RotateKeyRequest names the agent whose keys are replaced.
type RotateKeyRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id of the agent."`
	Expires string `json:"expires,omitempty" doc:"When the new key ends: after days or hours, such as 30d or 12h; never by default." max:"20"`
}

// Validate checks how long the key lives.
func (r *RotateKeyRequest) Validate() error {
	_, err := KeyLife(r.Expires)
	return err
}

// IssueKeyResult contains the key, which is shown only this once.
type IssueKeyResult struct {
	Answer
	AgentID string   `json:"agent_id"`
	Agent   string   `json:"agent"`
	KeyID   string   `json:"key_id"`
	APIKey  string   `json:"api_key"`
	Ended   []string `json:"ended"` // ids of the keys that were revoked
	Message string   `json:"message"`

	ExpiresAt *time.Time `json:"expires_at,omitempty"` // nil if it does not end by itself
}

// InviteRequest asks for an invitation.
type InviteRequest struct{}

// InviteResult contains the invitation, which is shown only this once. Whoever has it may register
// until it expires, is revoked, or the operator's keys are rotated.
type InviteResult struct {
	Answer
	KeyID     string    `json:"key_id"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Message   string    `json:"message"`
}

// RevokeKeyRequest names one key, or an agent whose keys are all revoked.
type RevokeKeyRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id of the agent." filled:"true"`
	KeyID string `json:"key_id,omitempty" doc:"The key's id: its first 15 characters. By default all keys of the agent." filled:"true"`
}

// Validate checks that a key or an agent is named.
func (r *RevokeKeyRequest) Validate() error {
	if r.Agent == "" && r.KeyID == "" {
		return Errorf(InvalidArgument, "neither a key nor an agent was named").With("parameter", "key_id").
			Suggest("Give key_id for one key, or agent for all of its keys; list_keys shows them.")
	}
	return nil
}

// RevokeKeyResult lists the keys that were revoked.
type RevokeKeyResult struct {
	Answer
	Revoked []string `json:"revoked"`
	Message string   `json:"message"`
}

// ListKeysRequest asks for the keys of one agent, or of all agents.
type ListKeysRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id of one agent; all by default."`
}

// ListKeysResult lists keys by agent, the oldest first.
type ListKeysResult struct {
	Answer
	Keys []Key `json:"keys"`
}

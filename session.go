package parley

import (
	"crypto/sha256"
	"encoding/hex"
)

// SessionState says what is known of a program's own session: its conversation with its model.
type SessionState string

// The states of a session. A program whose session is not known has none.
const (
	SessionChosen  SessionState = "chosen"  // the program has its id; nothing was said in it yet
	SessionBegun   SessionState = "begun"   // it has turns, and a restart continues it
	SessionRefused SessionState = "refused" // the program ended when it was to continue it
)

// Session is a program's own session, as it is stored with the agent.
type Session struct {
	ID    string       `json:"id"` // the program's own name for it
	State SessionState `json:"state"`
}

// Begun reports whether the session has turns that a restart continues.
func (s Session) Begun() bool { return s.State == SessionBegun || s.State == SessionRefused }

// sessionForm matches ids that no program takes for a flag or a path.
var sessionForm = expression(`^[A-Za-z0-9][A-Za-z0-9_.-]{5,127}$`)

// IsSessionID reports whether a text can be the id of a session: it becomes an argument of a program.
func IsSessionID(id string) bool { return sessionForm().MatchString(id) }

// Said is what a program's report says of its session.
type Said struct {
	ID       string
	Prompted bool // the program took a prompt in it, or took it up again: it has turns
	Own      bool // the report comes from the agent's own program, not from one that this program started
}

// After returns the session once the program has made a report. A new id counts only from the agent's
// own program: one that it starts as a tool has a session too.
func (s Session) After(r Said) Session {
	switch {
	case !IsSessionID(r.ID) || r.ID != s.ID && !r.Own:
		return s
	case r.Prompted || r.ID == s.ID && s.State == SessionRefused:
		return Session{r.ID, SessionBegun}
	case r.ID != s.ID:
		return Session{r.ID, SessionChosen}
	}
	return s
}

// HashPrompt returns by what a prompt is known again, "" for none.
func HashPrompt(prompt string) string {
	if prompt == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

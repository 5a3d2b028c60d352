package parley

import (
	"time"

	"parley/plain"
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

// KeptSession is a conversation of an agent program with its model, as the program keeps it on this machine. It need
// not be one of parley's agents.
type KeptSession struct {
	ID         string    `json:"id"`                // the program's own
	Short      string    `json:"short_id"`          // the beginning of the id that no other one has
	Program    string    `json:"program"`           // its profile
	Dir        string    `json:"dir,omitempty"`     // in which it was begun
	Branch     string    `json:"branch,omitempty"`  // of git, when it was begun
	First      string    `json:"first_words"`       // what a person said first, in one line
	Found      string    `json:"excerpt,omitempty"` // where the words that were looked for stand
	LastActive time.Time `json:"last_active"`
	Size       int64     `json:"size_bytes,omitempty"` // of its transcript; 0 if it has no file of its own

	Agent   string `json:"agent,omitempty"`   // whose program has it
	Refused string `json:"refused,omitempty"` // why no agent can take it up, as far as that is known without a try
}

// ListSessionsRequest asks for the conversations that the programs of a machine keep.
type ListSessionsRequest struct {
	Query   string `json:"query,omitempty" alias:"words,text" doc:"Words that a person or the agent said, or beginnings of such words; all must be there." max:"200"`
	Program string `json:"program,omitempty" alias:"profile" doc:"Only those of this program, such as claude."`
	Host    string `json:"host,omitempty" doc:"The machine of the team; that of the daemon that is called by default." max:"63"`
	Limit   int    `json:"limit,omitempty" doc:"How many at most." min:"1" max:"200" default:"20"`
}

// ListSessionsResult lists conversations, the newest first.
type ListSessionsResult struct {
	Answer
	Sessions []KeptSession `json:"sessions"`
	More     bool          `json:"more,omitempty"` // there are older ones
	// Read of Of conversations were read for their words, the newest first; both are 0 without words.
	Read int `json:"read,omitempty"`
	Of   int `json:"of,omitempty"`
}

// checkSession checks the id of a conversation that is to be taken up, and that nothing asks for another place.
func checkSession(id string, elsewhere bool) error {
	switch {
	case id == "":
		return nil
	case !IsSessionID(id):
		return Errorf(InvalidArgument, "%q cannot be the id of a conversation", plain.CleanLine(id)).
			With("parameter", "session").Suggest("list_sessions has them; six characters or more of an id are enough.")
	case elsewhere:
		return Errorf(InvalidArgument, "a conversation is taken up in its own directory").With("parameter", "session").
			Suggest("Leave worktree and resume out.")
	}
	return nil
}

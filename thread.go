package parley

import (
	"strings"
	"time"

	"parley/plain"
)

// Thread is a titled conversation of several agents.
type Thread struct {
	ID               string    `json:"thread_id"`
	Title            string    `json:"title"`
	CreatorID        string    `json:"creator_id"`
	Creator          string    `json:"creator"`           // its name
	Participants     []string  `json:"participants"`      // ids, in the order of joining
	ParticipantNames []string  `json:"participant_names"` // in the same order
	CreatedAt        time.Time `json:"created_at"`
	LastMessageAt    time.Time `json:"last_message_at"`

	Status ConversationStatus `json:"status"`
}

// shownTitle is how many characters of a title a header shows: enough to recognize the
// thread, and few next to a text.
const shownTitle = 60

// titleMarks has what stands for the characters of a title that could end a header.
var titleMarks = map[byte]rune{'"': '\'', '[': '(', ']': ')'}

// ShownTitle returns a thread's title as a header shows it between quotes: on one line,
// without anything that looks like the end of the header or the start of another.
func ShownTitle(title string) string {
	return plain.QuoteForms(strings.Map(func(r rune) rune {
		if looks := plain.Looks(r); len(looks) == 1 && titleMarks[looks[0]] != 0 {
			return titleMarks[looks[0]]
		}
		return r
	}, plain.Truncate(plain.CleanLine(title), shownTitle)))
}

// CreateThreadRequest opens a thread. The creator becomes a participant.
type CreateThreadRequest struct {
	Title          string `json:"title" required:"true" max:"200" doc:"What the thread is about."`
	Participants   Names  `json:"participants" required:"true" empty:"true" doc:"Names or ids; you are added."`
	InitialMessage string `json:"initial_message,omitempty" doc:"The first post."`
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// CreateThreadResult is the new thread.
type CreateThreadResult struct {
	Answer
	Message          string `json:"message"`
	Thread           Thread `json:"thread"`
	InitialMessageID string `json:"initial_message_id,omitempty"`
}

// Said says what was done.
func (r *CreateThreadResult) Said() string { return r.Message }

// ListThreadsRequest asks for threads, the most recently active first.
type ListThreadsRequest struct {
	Mine  bool `json:"mine,omitempty" doc:"Only threads you are in."`
	Limit int  `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"50"`
}

// ListThreadsResult lists threads. The count is of all that match.
type ListThreadsResult struct {
	Answer
	Threads    []Thread `json:"threads"`
	TotalCount int      `json:"total_count"`
}

// ThreadDetailsRequest names a thread by its id, or by the id's first eight or more
// characters.
type ThreadDetailsRequest struct {
	ThreadID string `json:"thread_id" required:"true" doc:"Id, or its first 8 characters."`
}

// ThreadDetailsResult is a thread, both as fields of the result and as one object.
type ThreadDetailsResult struct {
	Answer
	Thread
	Object Thread `json:"thread"`
}

// JoinThreadRequest names the thread that the caller joins.
type JoinThreadRequest struct {
	ThreadID string `json:"thread_id" required:"true" doc:"Id, or its first 8 characters."`
}

// AddParticipantRequest names an agent to add to a thread.
type AddParticipantRequest struct {
	ThreadID string `json:"thread_id" required:"true" doc:"Id, or its first 8 characters."`
	Agent    string `json:"agent_id_to_add" required:"true" doc:"Name or id."`
}

// RemoveParticipantRequest names an agent to remove from a thread.
type RemoveParticipantRequest struct {
	ThreadID string `json:"thread_id" required:"true" doc:"Id, or its first 8 characters."`
	Agent    string `json:"agent_id_to_remove" required:"true" doc:"Name or id."`
}

// MembershipStatus is the outcome of a change to the participants of a thread.
type MembershipStatus string

// The outcomes.
const (
	MemberCreated MembershipStatus = "created" // with the thread
	MemberJoined  MembershipStatus = "joined"
	MemberAdded   MembershipStatus = "added"
	MemberRemoved MembershipStatus = "removed"
	MemberLeft    MembershipStatus = "left" // removed itself
	MemberAlready MembershipStatus = "already_participant"
)

// MembershipStatuses returns every outcome.
func MembershipStatuses() []MembershipStatus {
	return []MembershipStatus{MemberCreated, MemberJoined, MemberAdded, MemberRemoved, MemberLeft, MemberAlready}
}

// MembershipResult is a thread after a change to its participants.
type MembershipResult struct {
	Answer
	Status    MembershipStatus `json:"status"`
	Message   string           `json:"message"`
	MessageID string           `json:"message_id,omitempty"` // of the notice in the thread
	Thread    Thread           `json:"thread"`
}

// Said says what was done.
func (r *MembershipResult) Said() string { return r.Message }

package parley

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/plain"
)

// conversationSpace is the namespace of the ids of conversations, a fixed random UUID.
var conversationSpace = uuid.MustParse("8f6f1c1e-5a0b-4b57-9d5a-0c2e7b6f4d21")

// ConversationID returns the id of the conversation of two agents, whose ids it takes in
// any order.
func ConversationID(a, b string) string {
	if b < a {
		a, b = b, a
	}
	return uuid.NewSHA1(conversationSpace, []byte(a+b)).String()
}

// ConversationStatus says whether a conversation can go on.
type ConversationStatus string

// A conversation of two is archived while one of them is terminated, and a thread while
// all its participants are: nobody is left to read it. Launching an agent again under its
// name makes the conversation active.
const (
	ConversationActive   ConversationStatus = "active"
	ConversationArchived ConversationStatus = "archived"
)

// StatusOfConversation returns the status of a conversation with the given number of
// agents, of which there are not terminated.
func StatusOfConversation(thread bool, agents, there int) ConversationStatus {
	if there == 0 || !thread && there < agents {
		return ConversationArchived
	}
	return ConversationActive
}

// ConversationAction is an action of the operator on a conversation.
type ConversationAction string

// The actions.
const (
	ActionRelease ConversationAction = "release" // deliver what is held, and reset the budgets
	ActionCool    ConversationAction = "cool"    // hold for ten minutes, or until a person writes
	ActionMute    ConversationAction = "mute"    // hold until unmute
	ActionUnmute  ConversationAction = "unmute"
	ActionSet     ConversationAction = "set" // change the settings of a thread
)

// ConversationStateRequest names a thread, or the other agent of the caller's
// conversation.
type ConversationStateRequest struct {
	With     string `json:"with,omitempty" doc:"The other agent."`
	ThreadID string `json:"thread_id,omitempty" doc:"Or a thread."`
}

// Validate checks that exactly one conversation is given.
func (r *ConversationStateRequest) Validate() error { return oneConversation(r.With, r.ThreadID, "") }

func oneConversation(with, threadID, messageID string) error {
	n := 0
	for _, given := range []bool{with != "", threadID != "", messageID != ""} {
		if given {
			n++
		}
	}
	if n == 1 {
		return nil
	}
	return Errorf(InvalidArgument, "%d conversations are named", n).With("parameter", "with").
		Suggest("Name one: with for two agents, or thread_id.")
}

// ConversationStateResult is the present state of a conversation, and whether the caller
// should answer its last message.
type ConversationStateResult struct {
	Answer
	Conversation  Conversation       `json:"conversation"`
	State         string             `json:"state"`       // cold, warming, hot, cooling or concluded
	Temperature   float64            `json:"temperature"` // 0 to 1
	Counts        ConversationCounts `json:"counts"`
	LastSpeaker   string             `json:"last_speaker,omitempty"` // its name
	LastMessageAt *time.Time         `json:"last_message_time,omitempty"`
	Held          []HeldTurn         `json:"held"` // messages that the protocol holds; for agents, only their own

	ShouldRespond bool                   `json:"should_respond"` // whether the caller should
	Reason        string                 `json:"reason"`         // a stable code, such as just-spoke-wait-turn
	Confidence    float64                `json:"confidence"`     // 0 to 1
	Factors       *ConversationFactors   `json:"factors,omitempty"`
	Decisions     []ConversationDecision `json:"decisions,omitempty"` // for the operator: of every participant
}

// Conversation is a conversation of two agents, or a thread.
type Conversation struct {
	ID           string               `json:"conversation_id"`
	ThreadID     string               `json:"thread_id,omitempty"`
	Title        string               `json:"title,omitempty"`
	Participants []string             `json:"participants"` // names
	Muted        bool                 `json:"muted"`
	CooledUntil  *time.Time           `json:"cooled_until,omitempty"`
	Settings     ConversationSettings `json:"settings"`
}

// ConversationCounts counts the messages of a conversation, of the last five minutes
// unless the field says otherwise. Maps are by agent name.
type ConversationCounts struct {
	LastMinute       int            `json:"messages_in_last_minute"`
	FiveMinutes      int            `json:"messages_in_last_five_minutes"`
	Participants     map[string]int `json:"participant_messages"`
	Agents           map[string]int `json:"ai_participant_messages"`
	People           map[string]int `json:"human_participant_messages"`
	Questions        int            `json:"question_count"`
	Acknowledgements int            `json:"acknowledgment_count"`
	InARow           int            `json:"consecutive_same_speaker"`
	Speakers         []string       `json:"speaker_sequence"`   // the last ten, oldest first
	Signals          []string       `json:"conclusion_signals"` // since it was last reopened
}

// ConversationFactors are the inputs of a decision.
type ConversationFactors struct {
	MentionedByAI           bool    `json:"mentioned_by_ai"`
	DirectQuestion          bool    `json:"direct_question"`
	ConversationTemperature float64 `json:"conversation_temperature"`
	MyTurnProbability       float64 `json:"my_turn_probability"`
	RelevanceScore          float64 `json:"relevance_score"`
	RecentParticipation     float64 `json:"recent_participation"`
	HumanPresence           bool    `json:"human_presence"`
	ConclusionSignals       bool    `json:"conclusion_signals"`
}

// ConversationDecision says whether a participant should answer the last message.
type ConversationDecision struct {
	AgentID       string               `json:"agent_id"`
	Agent         string               `json:"agent"`
	ShouldRespond bool                 `json:"should_respond"`
	Reason        string               `json:"reason"`
	Confidence    float64              `json:"confidence"`
	Factors       *ConversationFactors `json:"factors,omitempty"`
}

// ConversationSettings are the settings of the protocol for a conversation.
type ConversationSettings struct {
	Off            bool `json:"off"`
	ChainHops      int  `json:"chain_hops"`
	PairMinute     int  `json:"pair_minute"`
	PairTenMinutes int  `json:"pair_ten_minutes"`
	CycleRounds    int  `json:"cycle_rounds"`
}

// HeldTurn is a message that the protocol holds back from one terminal.
type HeldTurn struct {
	MessageID string     `json:"message_id"`
	Sender    string     `json:"sender"`
	Recipient string     `json:"recipient"`
	Reason    string     `json:"reason"` // a stable code
	Text      string     `json:"text"`   // what happened, and what releases the message
	Until     *time.Time `json:"until,omitempty"`
	Since     time.Time  `json:"since"`
	Preview   string     `json:"preview"`
	Hop       int        `json:"hop"`
}

// ControlConversationRequest is an action of the operator on a conversation.
type ControlConversationRequest struct {
	Action    ConversationAction `json:"action" required:"true" enum:"release,cool,mute,unmute,set" doc:"release delivers what is held; cool holds the agents' messages for ten minutes or until a person writes; mute holds them until unmute; set changes a thread's settings."`
	With      string             `json:"with,omitempty" doc:"The names or ids of the two agents, separated by a comma."`
	ThreadID  string             `json:"thread_id,omitempty" doc:"Or a thread: its id, or its first 8 characters."`
	MessageID string             `json:"message_id,omitempty" doc:"Or, for release, one message."`

	Off            *bool `json:"off,omitempty" doc:"For set: turn the conversation protocol off for the thread."`
	ChainHops      int   `json:"chain_hops,omitempty" doc:"For set: how many messages may follow from one another; the team's setting by default." min:"1" max:"1000"`
	PairMinute     int   `json:"pair_minute,omitempty" doc:"For set: messages of two agents per minute." min:"1" max:"1000"`
	PairTenMinutes int   `json:"pair_ten_minutes,omitempty" doc:"For set: messages of two agents per ten minutes." min:"1" max:"1000"`
	CycleRounds    int   `json:"cycle_rounds,omitempty" doc:"For set: rounds of a cycle of agents." min:"1" max:"1000"`
}

// Validate checks that one conversation is given, and that the parameters fit the action.
func (r *ControlConversationRequest) Validate() error {
	if err := oneConversation(r.With, r.ThreadID, r.MessageID); err != nil {
		return err
	}

	sets := r.Off != nil || r.ChainHops+r.PairMinute+r.PairTenMinutes+r.CycleRounds > 0
	switch {
	case r.MessageID != "" && r.Action != ActionRelease:
		return Errorf(InvalidArgument, "a single message cannot be told to %s", r.Action).
			With("parameter", "message_id").
			Suggest("Name the conversation: with for two agents, or thread_id.")
	case r.Action == ActionSet && r.ThreadID == "":
		return Errorf(InvalidArgument, "only a thread has settings of its own").With("parameter", "thread_id").
			Suggest("Name a thread; the team's settings stand in parley.yaml.")
	case r.Action != ActionSet && sets:
		return Errorf(InvalidArgument, "settings go with the action set").With("parameter", "action").
			Suggest("Use the action set, or leave the settings out.")
	}

	return nil
}

// ControlConversationResult is the result of the action.
type ControlConversationResult struct {
	Answer
	ConversationID string   `json:"conversation_id"`
	Message        string   `json:"message"`  // what was done, in a sentence
	Released       []string `json:"released"` // ids of messages that are no longer held
	Held           int      `json:"held"`     // deliveries of the conversation that are still held
}

// Said says what was done.
func (r *ControlConversationResult) Said() string { return r.Message }

// InteractionRules tells a model how to talk with other agents, so that their conversation
// ends: the seven interaction rules of the conversation protocol, in short.
const InteractionRules = "Write a sentence or two, and only what is new: nothing to agree, thank, greet or confirm. " +
	"End with who should go on, by @name, or with nobody. Thanks or \"sounds good\" end a conversation: do not " +
	"answer. Leave to others what they know better. Say what you cannot know. After two messages of yours wait " +
	"for others; when no person takes part any more, come to an end."

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

// Names is a list of names or ids. JSON may have a single string instead of a list.
type Names []string

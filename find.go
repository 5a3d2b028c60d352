package parley

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// FindMessagesRequest asks for messages of the whole team. All words must occur; case and accents do not
// matter. Words in double quotes must occur as a phrase. Each other condition must hold too;
// of the values of one condition, one is enough.
type FindMessagesRequest struct {
	Query  string     `json:"query,omitempty" alias:"q,text" doc:"Words that must all occur, or \"a phrase\". Needed unless there is another condition." max:"200"`
	Begun  bool       `json:"begun,omitempty" doc:"yes: words may be the names of senders and recipients, and parts of words where no message has all of them as words."`
	From   string     `json:"from,omitempty" alias:"sender,filter_by_sender" doc:"Only from this agent."`
	To     string     `json:"to,omitempty" alias:"recipient" doc:"Only to this agent."`
	Agents Names      `json:"agents,omitempty" alias:"agent" doc:"Only from or to one of these agents." max:"50"`
	Thread string     `json:"thread,omitempty" alias:"thread_id" doc:"Only of this thread: its id, or words of its title." max:"200"`
	States []string   `json:"states,omitempty" alias:"state" doc:"Only with a delivery in one of these states, such as held." max:"20"`
	Types  []string   `json:"types,omitempty" alias:"type" doc:"Only of these types, such as request, or kinds, such as broadcast." max:"20"`
	Ranks  []string   `json:"priorities,omitempty" alias:"priority" doc:"Only of these priorities, such as urgent." max:"10"`
	Has    []string   `json:"has,omitempty" doc:"Only with all of these: file, question (it requires a response), reply (it answers a message)." max:"3"`
	Since  *time.Time `json:"since,omitempty" doc:"Only after this time (RFC 3339)."`
	Until  *time.Time `json:"until,omitempty" doc:"Only up to this time."`
	Before string     `json:"before,omitempty" doc:"Only before the message with this id, to page back."`
	Limit  int        `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"20"`
}

// What FindMessagesRequest.Has names.
const (
	HasFile     = "file"
	HasQuestion = "question"
	HasReply    = "reply"
)

// Validate checks that until is not before since, that there is a condition, and that its
// values are known.
func (r *FindMessagesRequest) Validate() error {
	if r.Since != nil && r.Until != nil && r.Until.Before(*r.Since) {
		return Errorf(InvalidArgument, "until is before since").With("parameter", "until").
			Suggest("Give a time in until that comes after the one in since.")
	}

	conditions := len(r.Agents) + len(r.States) + len(r.Types) + len(r.Ranks) + len(r.Has)
	if r.Query+r.From+r.To+r.Thread == "" && conditions == 0 && r.Since == nil && r.Until == nil {
		return Errorf(InvalidArgument, "there is nothing to search for").With("parameter", "query").
			Suggest("Give words in query, or a condition such as states.")
	}

	types := append(textsOf(MessageTypes()), textsOf(MessageKinds())...)
	return cmp.Or(
		known("states", r.States, textsOf(DeliveryStates())),
		known("types", r.Types, types),
		known("priorities", r.Ranks, []string{"low", "normal", "high", "urgent"}),
		known("has", r.Has, []string{HasFile, HasQuestion, HasReply}),
	)
}

// textsOf returns the values of an enum as strings.
func textsOf[T ~string](values []T) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return words
}

// known returns an error if one of the given values is not among the known ones.
func known(parameter string, given, among []string) error {
	for _, v := range given {
		if !slices.Contains(among, v) {
			return Errorf(InvalidArgument, "%s has %q", parameter, CleanLine(v)).With("parameter", parameter).
				Suggest("Use %s.", strings.Join(among, ", "))
		}
	}
	return nil
}

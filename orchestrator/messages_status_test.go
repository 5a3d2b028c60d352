package orchestrator

import (
	"strings"
	"testing"

	"parley"
	"parley/op"
	"parley/orchestrator/team"
)

// Whether there is a message, only those learn that it concerns.
func TestMessageOfOthersIsRefusedLikeNone(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.as("coder")
	others, none, stranger := te.send("coder", "between us"), team.NewID(), te.as("stranger")

	for name, ask := range map[string]func(id string) error{
		"status": func(id string) error {
			_, err := op.GetMessageStatus.Call(stranger, te, parley.MessageStatusRequest{MessageID: id})
			return err
		},
		"answer": func(id string) error {
			_, err := op.RespondToMessage.Call(stranger, te, parley.RespondToMessageRequest{MessageID: id,
				Text: "well"})
			return err
		},
		"search before it": func(id string) error {
			_, err := op.FindMessages.Call(stranger, te, parley.FindMessagesRequest{Before: id})
			return err
		},
	} {
		got, want := parley.AsError(ask(others)), parley.AsError(ask(none))
		if got == nil || want == nil || got.Code != parley.MessageNotFound ||
			got.Message != strings.ReplaceAll(want.Message, none, others) || got.Action != want.Action {
			t.Errorf("%s: got %+v, and for what was never sent %+v", name, got, want)
		}
	}
}

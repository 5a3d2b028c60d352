package parley

import "time"

// Hold is why the conversation protocol holds a delivery. The text stands in the
// delivery's reason.
type Hold struct {
	Code   Code       `json:"code"`            // CONVERSATION_HELD
	Reason string     `json:"reason"`          // a stable code, such as pair-budget
	Until  *time.Time `json:"until,omitempty"` // when it passes by itself; absent when waiting does not help
}

// ConversationAction is what the operator does to a conversation.
type ConversationAction string

// What can be done to one.
const (
	ActionRelease ConversationAction = "release" // what is held goes on, with its budgets anew
	ActionCool    ConversationAction = "cool"    // hold for ten minutes, or until a person writes
	ActionMute    ConversationAction = "mute"    // hold until it is unmuted
	ActionUnmute  ConversationAction = "unmute"
	ActionSet     ConversationAction = "set" // the settings of a thread
)

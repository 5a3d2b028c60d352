package client

import (
	"context"

	"parley"
)

// messages is parley.MessageService.
type messages struct{ conn *conn }

// SendMessage sends a message. It is stored once, even if the connection breaks and the
// call is repeated: without an idempotency key it gets one.
func (m messages) SendMessage(ctx context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	return call[parley.SendMessageResult](ctx, m.conn, "send_message", r)
}

// ReportNativeMessage asks whether a program may send a message with a tool of its own.
func (m messages) ReportNativeMessage(
	ctx context.Context, r parley.NativeMessageRequest,
) (*parley.NativeMessageResult, error) {
	return call[parley.NativeMessageResult](ctx, m.conn, "report_native_message", r)
}

// BroadcastMessage sends a message to many agents, once, as SendMessage does.
func (m messages) BroadcastMessage(
	ctx context.Context, r parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	return call[parley.BroadcastMessageResult](ctx, m.conn, "broadcast_message", r)
}

// BroadcastUpdate sends news to all other agents, once, as SendMessage does.
func (m messages) BroadcastUpdate(
	ctx context.Context, r parley.BroadcastUpdateRequest,
) (*parley.BroadcastUpdateResult, error) {
	return call[parley.BroadcastUpdateResult](ctx, m.conn, "broadcast_update", r)
}

// RequestAssistance asks for help, once, as SendMessage does.
func (m messages) RequestAssistance(
	ctx context.Context, r parley.RequestAssistanceRequest,
) (*parley.RequestAssistanceResult, error) {
	return call[parley.RequestAssistanceResult](ctx, m.conn, "request_assistance", r)
}

// RespondToMessage answers a message, once, as SendMessage does.
func (m messages) RespondToMessage(
	ctx context.Context, r parley.RespondToMessageRequest,
) (*parley.RespondToMessageResult, error) {
	return call[parley.RespondToMessageResult](ctx, m.conn, "respond_to_message", r)
}

// IgnoreMessage marks a message read without answering it.
func (m messages) IgnoreMessage(
	ctx context.Context, r parley.IgnoreMessageRequest,
) (*parley.IgnoreMessageResult, error) {
	return call[parley.IgnoreMessageResult](ctx, m.conn, "ignore_message", r)
}

// CheckInbox lists the caller's messages without marking them read.
func (m messages) CheckInbox(ctx context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	return call[parley.CheckInboxResult](ctx, m.conn, "check_inbox", r)
}

// CheckNewMessages counts the unread messages and names the most urgent.
func (m messages) CheckNewMessages(
	ctx context.Context, r parley.CheckNewMessagesRequest,
) (*parley.CheckNewMessagesResult, error) {
	return call[parley.CheckNewMessagesResult](ctx, m.conn, "check_new_messages", r)
}

// GetMessages lists the caller's messages and, by default, marks them read.
func (m messages) GetMessages(ctx context.Context, r parley.GetMessagesRequest) (*parley.GetMessagesResult, error) {
	return call[parley.GetMessagesResult](ctx, m.conn, "get_messages", r)
}

// MarkMessageRead marks messages that were meant for the caller.
func (m messages) MarkMessageRead(
	ctx context.Context, r parley.MarkMessageReadRequest,
) (*parley.MarkMessageReadResult, error) {
	return call[parley.MarkMessageReadResult](ctx, m.conn, "mark_message_read", r)
}

// GetMessageStatus shows every delivery of a message with its evidence.
func (m messages) GetMessageStatus(
	ctx context.Context, r parley.MessageStatusRequest,
) (*parley.MessageStatusResult, error) {
	return call[parley.MessageStatusResult](ctx, m.conn, "get_message_status", r)
}

// Whois returns who sent a message.
func (m messages) Whois(ctx context.Context, r parley.WhoisRequest) (*parley.WhoisResult, error) {
	return call[parley.WhoisResult](ctx, m.conn, "whois", r)
}

// GetConversationHistory returns the messages between the caller and one other agent.
func (m messages) GetConversationHistory(ctx context.Context, r parley.HistoryRequest) (*parley.HistoryResult, error) {
	return call[parley.HistoryResult](ctx, m.conn, "get_conversation_history", r)
}

// FindMessages finds messages of the whole team, newest first.
func (m messages) FindMessages(
	ctx context.Context, r parley.FindMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	return call[parley.SearchMessagesResult](ctx, m.conn, "find_messages", r)
}

// SearchMessages finds messages by their words, newest first.
func (m messages) SearchMessages(
	ctx context.Context, r parley.SearchMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	return call[parley.SearchMessagesResult](ctx, m.conn, "search_messages", r)
}

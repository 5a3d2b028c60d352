package client

import (
	"context"

	"github.com/google/uuid"

	"parley"
)

// RegisterAgent makes a mailbox agent. Use its key in a client of its own.
func (c *Client) RegisterAgent(
	ctx context.Context,
	r parley.RegisterAgentRequest,
) (*parley.RegisterAgentResult, error) {
	return call[parley.RegisterAgentResult](ctx, c, "register_agent", r)
}

// GetAgentStatus describes one agent, or all of them.
func (c *Client) GetAgentStatus(ctx context.Context, r parley.AgentStatusRequest) (*parley.AgentStatusResult, error) {
	return call[parley.AgentStatusResult](ctx, c, "get_agent_status", r)
}

// LaunchAgent starts a program as an agent.
func (c *Client) LaunchAgent(ctx context.Context, r parley.LaunchAgentRequest) (*parley.LaunchAgentResult, error) {
	return call[parley.LaunchAgentResult](ctx, c, "launch_agent", r)
}

// AdoptAgent makes an agent of a program that runs already.
func (c *Client) AdoptAgent(ctx context.Context, r parley.AdoptAgentRequest) (*parley.AdoptAgentResult, error) {
	return call[parley.AdoptAgentResult](ctx, c, "adopt_agent", r)
}

// StopAgent ends an agent's processes.
func (c *Client) StopAgent(ctx context.Context, r parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	return call[parley.StopAgentResult](ctx, c, "stop_agent", r)
}

// RestartAgent stops an agent and launches it again.
func (c *Client) RestartAgent(ctx context.Context, r parley.RestartAgentRequest) (*parley.LaunchAgentResult, error) {
	return call[parley.LaunchAgentResult](ctx, c, "restart_agent", r)
}

// ReadTerminal returns an agent's screen.
func (c *Client) ReadTerminal(ctx context.Context, r parley.ReadTerminalRequest) (*parley.ReadTerminalResult, error) {
	return call[parley.ReadTerminalResult](ctx, c, "read_terminal", r)
}

// GetAttachInfo says how a person reaches an agent's terminal.
func (c *Client) GetAttachInfo(ctx context.Context, r parley.AttachInfoRequest) (*parley.AttachInfoResult, error) {
	return call[parley.AttachInfoResult](ctx, c, "get_attach_info", r)
}

// ReportState says what the agent whose key this client has is doing.
func (c *Client) ReportState(ctx context.Context, r parley.ReportStateRequest) (*parley.ReportStateResult, error) {
	return call[parley.ReportStateResult](ctx, c, "report_state", r)
}

// SendMessage sends a message. Without an idempotency key it gets one here, so
// that it is stored once even if the connection breaks and the call is made
// again.
func (c *Client) SendMessage(ctx context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.SendMessageResult](ctx, c, "send_message", r)
}

// BroadcastMessage sends a message to many, once, as SendMessage does.
func (c *Client) BroadcastMessage(
	ctx context.Context,
	r parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.BroadcastMessageResult](ctx, c, "broadcast_message", r)
}

// BroadcastUpdate tells everyone of news, once, as SendMessage does.
func (c *Client) BroadcastUpdate(
	ctx context.Context,
	r parley.BroadcastUpdateRequest,
) (*parley.BroadcastUpdateResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.BroadcastUpdateResult](ctx, c, "broadcast_update", r)
}

// RequestAssistance asks for help, once, as SendMessage does.
func (c *Client) RequestAssistance(
	ctx context.Context,
	r parley.RequestAssistanceRequest,
) (*parley.RequestAssistanceResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.RequestAssistanceResult](ctx, c, "request_assistance", r)
}

// RespondToMessage answers a message, once, as SendMessage does.
func (c *Client) RespondToMessage(
	ctx context.Context,
	r parley.RespondToMessageRequest,
) (*parley.RespondToMessageResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.RespondToMessageResult](ctx, c, "respond_to_message", r)
}

// IgnoreMessage marks a message read without answering it.
func (c *Client) IgnoreMessage(
	ctx context.Context,
	r parley.IgnoreMessageRequest,
) (*parley.IgnoreMessageResult, error) {
	return call[parley.IgnoreMessageResult](ctx, c, "ignore_message", r)
}

// CheckInbox lists the caller's messages without marking them read.
func (c *Client) CheckInbox(ctx context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	return call[parley.CheckInboxResult](ctx, c, "check_inbox", r)
}

// GetMessages lists the caller's messages and, by default, marks them read.
func (c *Client) GetMessages(ctx context.Context, r parley.GetMessagesRequest) (*parley.GetMessagesResult, error) {
	return call[parley.GetMessagesResult](ctx, c, "get_messages", r)
}

// MarkMessageRead marks messages that were meant for the caller.
func (c *Client) MarkMessageRead(
	ctx context.Context,
	r parley.MarkMessageReadRequest,
) (*parley.MarkMessageReadResult, error) {
	return call[parley.MarkMessageReadResult](ctx, c, "mark_message_read", r)
}

// GetMessageStatus shows every delivery of a message with its evidence.
func (c *Client) GetMessageStatus(
	ctx context.Context,
	r parley.MessageStatusRequest,
) (*parley.MessageStatusResult, error) {
	return call[parley.MessageStatusResult](ctx, c, "get_message_status", r)
}

// GetConversationHistory is what the caller and one other agent said.
func (c *Client) GetConversationHistory(ctx context.Context, r parley.HistoryRequest) (*parley.HistoryResult, error) {
	return call[parley.HistoryResult](ctx, c, "get_conversation_history", r)
}

// SteerAgent gives an agent guidance. Without an idempotency key it makes one, so
// that a call that is repeated on a broken connection is one message.
func (c *Client) SteerAgent(ctx context.Context, r parley.SteerAgentRequest) (*parley.SendMessageResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.SendMessageResult](ctx, c, "steer_agent", r)
}

// GetNeeds lists what wants the operator.
func (c *Client) GetNeeds(ctx context.Context, r parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	return call[parley.GetNeedsResult](ctx, c, "get_needs", r)
}

// RetryDelivery types a message again to those who provably or possibly lack it.
func (c *Client) RetryDelivery(
	ctx context.Context,
	r parley.RetryDeliveryRequest,
) (*parley.RetryDeliveryResult, error) {
	return call[parley.RetryDeliveryResult](ctx, c, "retry_delivery", r)
}

// ExplainMessage tells a message's whole story in plain words.
func (c *Client) ExplainMessage(
	ctx context.Context,
	r parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	return call[parley.ExplainMessageResult](ctx, c, "explain_message", r)
}

// PauseCommunication stops all messages, or lets them go on.
func (c *Client) PauseCommunication(
	ctx context.Context,
	r parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	return call[parley.PauseCommunicationResult](ctx, c, "pause_communication", r)
}

// ReadEvents returns a page of events. Events follows them.
func (c *Client) ReadEvents(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	return call[parley.ReadEventsResult](ctx, c, "read_events", r)
}

// GetWorkspaceStatus says what the daemon runs.
func (c *Client) GetWorkspaceStatus(
	ctx context.Context,
	r parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	return call[parley.WorkspaceStatusResult](ctx, c, "get_workspace_status", r)
}

// IssueKey makes a further API key for an agent.
func (c *Client) IssueKey(ctx context.Context, r parley.IssueKeyRequest) (*parley.IssueKeyResult, error) {
	return call[parley.IssueKeyResult](ctx, c, "issue_key", r)
}

// RotateKey makes a new API key for an agent and ends all its others.
func (c *Client) RotateKey(ctx context.Context, r parley.RotateKeyRequest) (*parley.IssueKeyResult, error) {
	return call[parley.IssueKeyResult](ctx, c, "rotate_key", r)
}

// RevokeKey ends one API key, or all of an agent's.
func (c *Client) RevokeKey(ctx context.Context, r parley.RevokeKeyRequest) (*parley.RevokeKeyResult, error) {
	return call[parley.RevokeKeyResult](ctx, c, "revoke_key", r)
}

// ListKeys lists the API keys that are good.
func (c *Client) ListKeys(ctx context.Context, r parley.ListKeysRequest) (*parley.ListKeysResult, error) {
	return call[parley.ListKeysResult](ctx, c, "list_keys", r)
}

// ApproveAgent decides on an agent's wish to be special.
func (c *Client) ApproveAgent(ctx context.Context, r parley.ApproveAgentRequest) (*parley.ApproveAgentResult, error) {
	return call[parley.ApproveAgentResult](ctx, c, "approve_agent", r)
}

// ListFiles lists the files that are kept.
func (c *Client) ListFiles(ctx context.Context, r parley.ListFilesRequest) (*parley.ListFilesResult, error) {
	return call[parley.ListFilesResult](ctx, c, "list_files", r)
}

// RemoveFiles deletes files, by their ids or by their age.
func (c *Client) RemoveFiles(ctx context.Context, r parley.RemoveFilesRequest) (*parley.RemoveFilesResult, error) {
	return call[parley.RemoveFilesResult](ctx, c, "remove_files", r)
}

// Backup writes a copy of the database, on the daemon's machine.
func (c *Client) Backup(ctx context.Context, r parley.BackupRequest) (*parley.BackupResult, error) {
	return call[parley.BackupResult](ctx, c, "backup", r)
}

// ShutDown stops the daemon.
func (c *Client) ShutDown(ctx context.Context, r parley.ShutDownRequest) (*parley.ShutDownResult, error) {
	return call[parley.ShutDownResult](ctx, c, "shut_down", r)
}

func keyOr(key string) string {
	if key == "" {
		return uuid.NewString()
	}
	return key
}

// AddResponder makes or changes an agent for which a model answers.
func (c *Client) AddResponder(ctx context.Context, r parley.AddResponderRequest) (*parley.AddResponderResult, error) {
	return call[parley.AddResponderResult](ctx, c, "add_responder", r)
}

// ListResponders lists the agents for which a model answers.
func (c *Client) ListResponders(
	ctx context.Context,
	r parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	return call[parley.ListRespondersResult](ctx, c, "list_responders", r)
}

// Usage says what the models' answers took.
func (c *Client) Usage(ctx context.Context, r parley.UsageRequest) (*parley.UsageResult, error) {
	return call[parley.UsageResult](ctx, c, "usage", r)
}

// ExportMessages reads whole messages, page by page.
func (c *Client) ExportMessages(
	ctx context.Context,
	r parley.ExportMessagesRequest,
) (*parley.ExportMessagesResult, error) {
	return call[parley.ExportMessagesResult](ctx, c, "export_messages", r)
}

// Package parley holds the nouns of a team of agents that talk through their
// terminals: Agent, Message, Delivery, Event; the typed errors; the cleaning of
// text; the requests and answers of every operation; the service interfaces;
// and Ops, the one table of operations that every face (MCP, REST, CLI, Go) is
// read off. It imports nothing else of the module.
package parley

import "context"

// Service is everything parley does. It has two implementations, the
// orchestrator (in the daemon) and the client (everywhere else), and one test
// suite runs against both. The caller of each method is the one in the context
// (see WithCaller); errors are *Error where the caller can do something about it.
//
// Methods take requests that are valid. Op.Decode checks each parameter and calls the
// request's Validate, once, in the process that serves the call; the orchestrator does
// not check again, and the client leaves it to its daemon. A program that calls the
// orchestrator in its own process decodes with Op.Decode, or calls Validate itself.
type Service interface {
	AgentService
	TerminalService
	MessageService
	ThreadService
	ConversationService
	FileService
	OperatorService
	EventService
	WorkspaceService
	RightsService
	ResponderService
}

// AgentService knows who is there.
type AgentService interface {
	// RegisterAgent makes a mailbox agent and returns its key, once.
	// AGENT_EXISTS when the name is taken.
	RegisterAgent(context.Context, RegisterAgentRequest) (*RegisterAgentResult, error)
	// GetAgentStatus describes one agent, or all of them by name.
	GetAgentStatus(context.Context, AgentStatusRequest) (*AgentStatusResult, error)
}

// TerminalService runs agents in tmux.
type TerminalService interface {
	// LaunchAgent starts a program in a tmux session of its own and returns
	// when its process runs. Launching a stopped agent's name revives its id.
	LaunchAgent(context.Context, LaunchAgentRequest) (*LaunchAgentResult, error)
	// AdoptAgent makes an agent of a program that runs already, in a pane of a tmux
	// that is not parley's. Nothing there is made or changed but two options of that
	// pane. AGENT_EXISTS when the pane is an agent's already.
	AdoptAgent(context.Context, AdoptAgentRequest) (*AdoptAgentResult, error)
	// StopAgent ends the agent's whole process tree and returns when it is gone. An
	// adopted agent only leaves the team.
	StopAgent(context.Context, StopAgentRequest) (*StopAgentResult, error)
	// RestartAgent stops and launches again, with a new key and the same id.
	RestartAgent(context.Context, RestartAgentRequest) (*LaunchAgentResult, error)
	// ReadTerminal returns what stands on the agent's screen.
	ReadTerminal(context.Context, ReadTerminalRequest) (*ReadTerminalResult, error)
	// GetAttachInfo says how a person reaches the agent's terminal.
	GetAttachInfo(context.Context, AttachInfoRequest) (*AttachInfoResult, error)
	// ReportState takes what an agent's own program says of itself. It is the
	// agent's whose key calls; NOT_AUTHORIZED when that has no terminal.
	ReportState(context.Context, ReportStateRequest) (*ReportStateResult, error)
}

// MessageService carries messages and proves their fate.
type MessageService interface {
	// SendMessage stores a message for one or several agents and starts its
	// delivery. When it returns, the message is durable.
	SendMessage(context.Context, SendMessageRequest) (*SendMessageResult, error)
	// BroadcastMessage sends to every other agent, a list, or a group.
	BroadcastMessage(context.Context, BroadcastMessageRequest) (*BroadcastMessageResult, error)
	// BroadcastUpdate tells every other agent what has come about.
	BroadcastUpdate(context.Context, BroadcastUpdateRequest) (*BroadcastUpdateResult, error)
	// RequestAssistance asks those who can help, who then owe an answer.
	RequestAssistance(context.Context, RequestAssistanceRequest) (*RequestAssistanceResult, error)
	// RespondToMessage answers a message that came for the caller, formally if it
	// has a status: RESPONSE_NOT_REQUIRED when no answer is owed,
	// RESPONSE_DEADLINE_PASSED when it is too late for one.
	RespondToMessage(context.Context, RespondToMessageRequest) (*RespondToMessageResult, error)
	// IgnoreMessage marks a message read and notes why it gets no answer.
	IgnoreMessage(context.Context, IgnoreMessageRequest) (*IgnoreMessageResult, error)
	// CheckInbox lists the caller's messages without marking them read.
	CheckInbox(context.Context, CheckInboxRequest) (*CheckInboxResult, error)
	// GetMessages lists the caller's messages and, by default, marks them read.
	GetMessages(context.Context, GetMessagesRequest) (*GetMessagesResult, error)
	// MarkMessageRead marks messages that were meant for the caller.
	MarkMessageRead(context.Context, MarkMessageReadRequest) (*MarkMessageReadResult, error)
	// GetMessageStatus shows every delivery of a message with its evidence.
	GetMessageStatus(context.Context, MessageStatusRequest) (*MessageStatusResult, error)
	// GetConversationHistory is what the caller and one other agent said.
	GetConversationHistory(context.Context, HistoryRequest) (*HistoryResult, error)
	// SearchMessages finds messages that the caller sent or got by their words.
	SearchMessages(context.Context, SearchMessagesRequest) (*SearchMessagesResult, error)
	// CheckNewMessages counts the unread and shows the most urgent.
	CheckNewMessages(context.Context, CheckNewMessagesRequest) (*CheckNewMessagesResult, error)
}

// ThreadService keeps conversations of several. A thread is named by its id, or the
// beginning of it; THREAD_NOT_FOUND when there is none. Any agent may list and join;
// those who take part post with SendMessage and read with GetMessages, and so may the
// operator everywhere.
type ThreadService interface {
	// CreateThread opens a thread of the caller's and tells the others in it.
	CreateThread(context.Context, CreateThreadRequest) (*CreateThreadResult, error)
	// ListThreads lists threads, the last active first.
	ListThreads(context.Context, ListThreadsRequest) (*ListThreadsResult, error)
	// GetThreadDetails describes one thread.
	GetThreadDetails(context.Context, ThreadDetailsRequest) (*ThreadDetailsResult, error)
	// JoinThread lets the caller take part; what was said before is there to be read.
	JoinThread(context.Context, JoinThreadRequest) (*MembershipResult, error)
	// AddParticipant lets another take part. NOT_A_PARTICIPANT when the caller does not.
	AddParticipant(context.Context, AddParticipantRequest) (*MembershipResult, error)
	// RemoveParticipant ends somebody's part. It is for the thread's creator, the
	// operator, and the one who leaves; the creator stays. NOT_A_PARTICIPANT when there
	// is nothing to end.
	RemoveParticipant(context.Context, RemoveParticipantRequest) (*MembershipResult, error)
}

// ConversationService is the protocol that keeps agents from talking for ever.
type ConversationService interface {
	// GetConversationState says how a conversation goes, and whether the caller should
	// answer. NOT_A_PARTICIPANT for a thread in which the caller takes no part.
	GetConversationState(context.Context, ConversationStateRequest) (*ConversationStateResult, error)
	// ControlConversation releases, cools, mutes or unmutes a conversation, or changes
	// the settings of a thread.
	ControlConversation(context.Context, ControlConversationRequest) (*ControlConversationResult, error)
}

// FileService hands files from one agent to another.
type FileService interface {
	// TransferFile copies a file of the caller's into the workspace's store and tells
	// the recipient where it is. FILE_REFUSED for what the caller may not send,
	// FILE_NOT_FOUND for what is not there.
	TransferFile(context.Context, TransferFileRequest) (*TransferFileResult, error)
	// ListFiles lists what is kept, and says how much space it takes.
	ListFiles(context.Context, ListFilesRequest) (*ListFilesResult, error)
	// RemoveFiles deletes what files hold, and the recipients' copies. Who asks for one
	// afterwards gets FILE_NOT_FOUND, which says so, and so do its messages.
	RemoveFiles(context.Context, RemoveFilesRequest) (*RemoveFilesResult, error)
}

// OperatorService is how a person steps in.
type OperatorService interface {
	// RetryDelivery types a message again to those with whom it failed, expired
	// or stayed unconfirmed, and looks again at once where it waits. A responder that
	// gave no answer is asked again.
	// ALREADY_DELIVERED when there is nothing to be tried again.
	RetryDelivery(context.Context, RetryDeliveryRequest) (*RetryDeliveryResult, error)
	// ExplainMessage tells a message's whole story in plain words.
	ExplainMessage(context.Context, ExplainMessageRequest) (*ExplainMessageResult, error)
	// ExportMessages reads whole messages, page by page, to be kept elsewhere.
	ExportMessages(context.Context, ExportMessagesRequest) (*ExportMessagesResult, error)
	// SteerAgent gives an agent guidance, as a message under a header of its own.
	SteerAgent(context.Context, SteerAgentRequest) (*SendMessageResult, error)
	// GetNeeds lists what wants the operator, and can dismiss a message from it.
	GetNeeds(context.Context, GetNeedsRequest) (*GetNeedsResult, error)
	// PauseCommunication refuses and holds all messages until it is called again.
	PauseCommunication(context.Context, PauseCommunicationRequest) (*PauseCommunicationResult, error)
}

// EventService is the numbered record that every screen and stream reads.
type EventService interface {
	// ReadEvents returns events after a sequence number, waiting for one if
	// asked to. The operator sees all, an agent its own.
	ReadEvents(context.Context, ReadEventsRequest) (*ReadEventsResult, error)
}

// WorkspaceService is the daemon itself.
type WorkspaceService interface {
	// GetWorkspaceStatus says what runs, where, and how it is doing.
	GetWorkspaceStatus(context.Context, WorkspaceStatusRequest) (*WorkspaceStatusResult, error)
	// Backup writes a consistent copy of the database while everything runs.
	Backup(context.Context, BackupRequest) (*BackupResult, error)
	// ShutDown stops the daemon, and all agents unless they are to be kept.
	ShutDown(context.Context, ShutDownRequest) (*ShutDownResult, error)
}

// RightsService is how the operator says who may call as whom.
type RightsService interface {
	// IssueKey makes a further API key for an agent and returns it, once.
	// AGENT_UNAVAILABLE when the agent is stopped.
	IssueKey(context.Context, IssueKeyRequest) (*IssueKeyResult, error)
	// RotateKey makes a new key and ends all others of the agent.
	RotateKey(context.Context, RotateKeyRequest) (*IssueKeyResult, error)
	// RevokeKey ends one key, or all of an agent's.
	RevokeKey(context.Context, RevokeKeyRequest) (*RevokeKeyResult, error)
	// ListKeys lists the keys that are good, never the keys themselves.
	ListKeys(context.Context, ListKeysRequest) (*ListKeysResult, error)
	// ApproveAgent decides on an agent's wish to be special.
	ApproveAgent(context.Context, ApproveAgentRequest) (*ApproveAgentResult, error)
}

// ResponderService sees to the agents for which a model answers.
type ResponderService interface {
	// AddResponder makes an agent for which a model answers, or changes how one does;
	// an agent that asked to be special is approved by it. AGENT_EXISTS when the name is
	// another agent's.
	AddResponder(context.Context, AddResponderRequest) (*AddResponderResult, error)
	// ListResponders lists those for which a model answers, or is to.
	ListResponders(context.Context, ListRespondersRequest) (*ListRespondersResult, error)
	// Usage says what the models' answers took: in all, by agent, and by call.
	Usage(context.Context, UsageRequest) (*UsageResult, error)
}

// Package parley declares what a team of agents is made of that talk through their
// terminals. Each noun has a file with its types and the requests and results of its
// operations: agent, terminal, message, delivery, inbox, thread, conversation, file,
// responder, model, key, event, workspace. This file has the service interfaces.
//
// Ops is the table of operations from which every face (MCP, REST, the CLI, the Go
// client) is derived. The other files have what the faces share: operations (op),
// decoding (decode, field, json), schemas, callers, errors, reason codes, the cleaning of
// text, and the grammar of what is typed into terminals (typed).
//
// The package imports nothing else of the module.
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
	WorktreeService
	MessageService
	ThreadService
	ConversationService
	FileService
	OperatorService
	ProgramService
	EventService
	WorkspaceService
	RightsService
	ResponderService
}

// AgentService registers and lists agents.
type AgentService interface {
	// RegisterAgent registers a mailbox agent and returns its key, which is shown only
	// once. It returns AGENT_EXISTS if the name is taken.
	RegisterAgent(context.Context, RegisterAgentRequest) (*RegisterAgentResult, error)
	// GetAgentStatus returns one agent, or all agents by name.
	GetAgentStatus(context.Context, AgentStatusRequest) (*AgentStatusResult, error)
}

// TerminalService runs agents in tmux.
type TerminalService interface {
	// LaunchAgent starts a program in its own tmux session and returns when its process
	// runs. Launching under the name of a stopped agent revives that agent's id.
	LaunchAgent(context.Context, LaunchAgentRequest) (*LaunchAgentResult, error)
	// AdoptAgent makes an agent of a program that already runs, in a pane of a tmux server
	// that is not parley's. It changes nothing there except two options of that pane. It
	// returns AGENT_EXISTS if the pane already belongs to an agent.
	AdoptAgent(context.Context, AdoptAgentRequest) (*AdoptAgentResult, error)
	// StopAgent ends the agent's whole process tree and returns when it is gone. An
	// adopted agent only leaves the team.
	StopAgent(context.Context, StopAgentRequest) (*StopAgentResult, error)
	// RestartAgent stops an agent and launches it again, with a new key and the same id.
	RestartAgent(context.Context, RestartAgentRequest) (*LaunchAgentResult, error)
	// UpdateAgent brings a running agent in line with what it is to be, and returns what differed.
	// It restarts the program only if it must.
	UpdateAgent(context.Context, UpdateAgentRequest) (*UpdateAgentResult, error)
	// ReadTerminal returns the agent's screen.
	ReadTerminal(context.Context, ReadTerminalRequest) (*ReadTerminalResult, error)
	// AnswerDialog returns the dialog that is open in the agent's terminal, or chooses one of its
	// options. It returns DIALOG_CHANGED, and sends nothing, if another dialog than the one that
	// was seen is open, or none.
	AnswerDialog(context.Context, AnswerDialogRequest) (*AnswerDialogResult, error)
	// TypeInTerminal types into the agent's terminal for a person who looks at it elsewhere. It returns
	// NOT_AUTHORIZED unless the settings allow that.
	TypeInTerminal(context.Context, TypeInTerminalRequest) (*TypeInTerminalResult, error)
	// GetAttachInfo returns the command that shows a person the agent's terminal.
	GetAttachInfo(context.Context, AttachInfoRequest) (*AttachInfoResult, error)
	// ReportState takes a report of an agent's own program. The agent is the caller. It
	// returns NOT_AUTHORIZED if the caller has no terminal.
	ReportState(context.Context, ReportStateRequest) (*ReportStateResult, error)
}

// WorktreeService looks after the git worktrees of agents.
type WorktreeService interface {
	// ListWorktrees returns the worktrees and how far each is from its base.
	ListWorktrees(context.Context, WorktreesRequest) (*WorktreesResult, error)
	// DiffAgent returns what an agent has changed and nobody merged.
	DiffAgent(context.Context, DiffAgentRequest) (*DiffAgentResult, error)
	// ReviewAgent sends comments on what an agent has changed as one message.
	ReviewAgent(context.Context, ReviewAgentRequest) (*SendMessageResult, error)
	// PreviewMerge returns what a merge of an agent's branch would do. It changes nothing.
	PreviewMerge(context.Context, PreviewMergeRequest) (*PreviewMergeResult, error)
	// FinishWorktree stops an agent, and merges or removes its worktree. It never throws work away
	// unless that is asked for in so many words.
	FinishWorktree(context.Context, FinishWorktreeRequest) (*FinishWorktreeResult, error)
}

// MessageService sends and reads messages, and proves their delivery.
type MessageService interface {
	// SendMessage stores a message for one or several agents, or for a thread, and starts
	// its delivery. When it returns, the message is durable.
	SendMessage(context.Context, SendMessageRequest) (*SendMessageResult, error)
	// BroadcastMessage sends to every other agent, a list, or a group.
	BroadcastMessage(context.Context, BroadcastMessageRequest) (*BroadcastMessageResult, error)
	// BroadcastUpdate tells every other agent about an update.
	BroadcastUpdate(context.Context, BroadcastUpdateRequest) (*BroadcastUpdateResult, error)
	// RequestAssistance asks the agents that can help, who then owe an answer.
	RequestAssistance(context.Context, RequestAssistanceRequest) (*RequestAssistanceResult, error)
	// RespondToMessage answers a message that the caller received. An answer with a status
	// is a formal one: it returns RESPONSE_NOT_REQUIRED if no answer is owed, and
	// RESPONSE_DEADLINE_PASSED after the deadline.
	RespondToMessage(context.Context, RespondToMessageRequest) (*RespondToMessageResult, error)
	// ReportNativeMessage decides on a message that the caller's program is about to send to another agent
	// with a tool of its own, and records it if the settings say so. It returns NOT_AUTHORIZED if the caller
	// has no terminal.
	ReportNativeMessage(context.Context, NativeMessageRequest) (*NativeMessageResult, error)
	// IgnoreMessage marks a message as read, and logs why it gets no answer.
	IgnoreMessage(context.Context, IgnoreMessageRequest) (*IgnoreMessageResult, error)
	// CheckInbox lists the caller's messages without marking them as read.
	CheckInbox(context.Context, CheckInboxRequest) (*CheckInboxResult, error)
	// GetMessages lists the caller's messages and, by default, marks them as read.
	GetMessages(context.Context, GetMessagesRequest) (*GetMessagesResult, error)
	// MarkMessageRead marks messages as read that the caller received.
	MarkMessageRead(context.Context, MarkMessageReadRequest) (*MarkMessageReadResult, error)
	// GetMessageStatus returns every delivery of a message with its evidence.
	GetMessageStatus(context.Context, MessageStatusRequest) (*MessageStatusResult, error)
	// Whois returns who sent a message. It returns MESSAGE_NOT_FOUND if the caller has no such
	// message.
	Whois(context.Context, WhoisRequest) (*WhoisResult, error)
	// GetConversationHistory returns the messages between the caller and one other agent.
	GetConversationHistory(context.Context, HistoryRequest) (*HistoryResult, error)
	// SearchMessages searches the messages that the caller sent or received.
	SearchMessages(context.Context, SearchMessagesRequest) (*SearchMessagesResult, error)
	// FindMessages finds messages of the whole team. Only for the operator.
	FindMessages(context.Context, FindMessagesRequest) (*SearchMessagesResult, error)
	// CheckNewMessages counts the unread messages and previews the most urgent.
	CheckNewMessages(context.Context, CheckNewMessagesRequest) (*CheckNewMessagesResult, error)
}

// ThreadService manages conversations of several agents. A thread is named by its id, or
// by the id's first eight or more characters; THREAD_NOT_FOUND is returned if there is
// none. Any agent may list and join threads. Participants post with SendMessage and read
// with GetMessages; the operator may do so in every thread.
type ThreadService interface {
	// CreateThread opens a thread and notifies the other participants.
	CreateThread(context.Context, CreateThreadRequest) (*CreateThreadResult, error)
	// ListThreads lists threads, the most recently active first.
	ListThreads(context.Context, ListThreadsRequest) (*ListThreadsResult, error)
	// GetThreadDetails returns one thread.
	GetThreadDetails(context.Context, ThreadDetailsRequest) (*ThreadDetailsResult, error)
	// JoinThread makes the caller a participant, who may read the earlier posts.
	JoinThread(context.Context, JoinThreadRequest) (*MembershipResult, error)
	// AddParticipant adds another agent. It returns NOT_A_PARTICIPANT if the caller is none.
	AddParticipant(context.Context, AddParticipantRequest) (*MembershipResult, error)
	// RemoveParticipant removes a participant. The thread's creator and the operator may
	// remove others, and everybody may leave, except the creator. It returns
	// NOT_A_PARTICIPANT if the agent is none.
	RemoveParticipant(context.Context, RemoveParticipantRequest) (*MembershipResult, error)
}

// ConversationService is the protocol that keeps agents from talking forever.
type ConversationService interface {
	// GetConversationState returns the state of a conversation, and whether the caller
	// should answer. It returns NOT_A_PARTICIPANT for a thread that the caller is not in.
	GetConversationState(context.Context, ConversationStateRequest) (*ConversationStateResult, error)
	// ControlConversation releases, cools, mutes or unmutes a conversation, or changes
	// the settings of a thread.
	ControlConversation(context.Context, ControlConversationRequest) (*ControlConversationResult, error)
}

// FileService passes files from one agent to another.
type FileService interface {
	// TransferFile copies a file of the caller into the workspace's store and tells the
	// recipient where the copy is. It returns FILE_REFUSED for a file that the caller may
	// not send, and FILE_NOT_FOUND for one that does not exist.
	TransferFile(context.Context, TransferFileRequest) (*TransferFileResult, error)
	// ListFiles lists the stored files and the space that they take.
	ListFiles(context.Context, ListFilesRequest) (*ListFilesResult, error)
	// RemoveFiles deletes the contents of files and the recipients' copies. Later requests
	// for such a file get a FILE_NOT_FOUND that says so, and its messages say so.
	RemoveFiles(context.Context, RemoveFilesRequest) (*RemoveFilesResult, error)
}

// OperatorService lets the operator see what needs attention, and step in.
type OperatorService interface {
	// RetryDelivery delivers a message again where it failed, expired or stayed
	// unconfirmed, and checks at once where it waits. A responder that gave no answer is
	// asked again. It returns ALREADY_DELIVERED if there is nothing to retry.
	RetryDelivery(context.Context, RetryDeliveryRequest) (*RetryDeliveryResult, error)
	// ExplainMessage tells the whole story of a message in plain words.
	ExplainMessage(context.Context, ExplainMessageRequest) (*ExplainMessageResult, error)
	// ExportMessages returns whole messages, page by page.
	ExportMessages(context.Context, ExportMessagesRequest) (*ExportMessagesResult, error)
	// SteerAgent gives an agent guidance: a message with its own form of header.
	SteerAgent(context.Context, SteerAgentRequest) (*SendMessageResult, error)
	// GetNeeds lists what needs the operator, and can dismiss a message from the list.
	GetNeeds(context.Context, GetNeedsRequest) (*GetNeedsResult, error)
	// PauseCommunication pauses all messages, or resumes them. During a pause new messages
	// are refused and stored ones held.
	PauseCommunication(context.Context, PauseCommunicationRequest) (*PauseCommunicationResult, error)
}

// ProgramService tries the programs of agents.
type ProgramService interface {
	// CheckProgram begins to try whether parley reads the program of an agent in the version that it has now. It
	// does not wait for the end. It returns INVALID_ARGUMENT for an agent whose program's version is not known.
	CheckProgram(context.Context, CheckProgramRequest) (*CheckProgramResult, error)
}

// EventService is the numbered record of events that every screen and stream reads.
type EventService interface {
	// ReadEvents returns the events after a sequence number, and can wait for one. The
	// operator sees all events, an agent those that concern it.
	ReadEvents(context.Context, ReadEventsRequest) (*ReadEventsResult, error)
	// TeamHistory sums up what the team did in the last hours.
	TeamHistory(context.Context, TeamHistoryRequest) (*TeamHistoryResult, error)
}

// WorkspaceService controls the daemon.
type WorkspaceService interface {
	// GetWorkspaceStatus returns what the daemon runs, where, and whether it is well.
	GetWorkspaceStatus(context.Context, WorkspaceStatusRequest) (*WorkspaceStatusResult, error)
	// Backup writes a consistent copy of the database while the daemon runs.
	Backup(context.Context, BackupRequest) (*BackupResult, error)
	// SendTestNotice sends a notice by all ways of parley.yaml, and returns how that went. It
	// returns INVALID_ARGUMENT if there is none.
	SendTestNotice(context.Context, SendTestNoticeRequest) (*SendTestNoticeResult, error)
	// NotifyDevice lets notices be pushed to a browser for as long as the session of the page lives that asks
	// for it, or no longer. It returns INVALID_ARGUMENT to what is no such session.
	NotifyDevice(context.Context, NotifyDeviceRequest) (*NotifyDeviceResult, error)
	// ListHosts lists the machines that share the workspace's database.
	ListHosts(context.Context, ListHostsRequest) (*ListHostsResult, error)
	// RemoveHost removes a host that is away for good: its agents are stopped, and what waits for
	// them fails. It returns INVALID_ARGUMENT for a host that is at work.
	RemoveHost(context.Context, RemoveHostRequest) (*RemoveHostResult, error)
	// ShutDown stops the daemon, and all agents unless they are kept.
	ShutDown(context.Context, ShutDownRequest) (*ShutDownResult, error)
}

// RightsService manages API keys and the approval of special agents.
type RightsService interface {
	// IssueKey makes another API key for an agent and returns it; it is shown only once.
	// It returns AGENT_UNAVAILABLE if the agent is stopped.
	IssueKey(context.Context, IssueKeyRequest) (*IssueKeyResult, error)
	// RotateKey makes a new key and revokes all others of the agent.
	RotateKey(context.Context, RotateKeyRequest) (*IssueKeyResult, error)
	// RevokeKey revokes one key, or all keys of an agent.
	RevokeKey(context.Context, RevokeKeyRequest) (*RevokeKeyResult, error)
	// ListKeys lists the valid keys, without their secrets.
	ListKeys(context.Context, ListKeysRequest) (*ListKeysResult, error)
	// Invite makes a token with which programs of other users and machines may register; it is
	// shown only once.
	Invite(context.Context, InviteRequest) (*InviteResult, error)
	// OpenPage makes a one-time code for the page in a browser; it is shown only once.
	OpenPage(context.Context, OpenPageRequest) (*OpenPageResult, error)
	// ApproveAgent decides whether an agent may be a special agent.
	ApproveAgent(context.Context, ApproveAgentRequest) (*ApproveAgentResult, error)
}

// ResponderService manages the agents for which a model answers.
type ResponderService interface {
	// AddResponder adds an agent for which a model answers, or changes its configuration.
	// It approves an agent that asked to be special. It returns AGENT_EXISTS if the name is
	// taken by another agent.
	AddResponder(context.Context, AddResponderRequest) (*AddResponderResult, error)
	// ListResponders lists the agents for which a model answers, or will answer.
	ListResponders(context.Context, ListRespondersRequest) (*ListRespondersResult, error)
	// Usage returns what the models' answers cost, in total, by agent, and by call.
	Usage(context.Context, UsageRequest) (*UsageResult, error)
}

package op

import (
	"encoding/json"

	"parley"
)

// All is the table of operations, in the order in which documents list them.
var All []*Op

// The operations that every agent may call, but for those in table_operator.go. Each is a tool over MCP, a route over
// HTTP, a command of the CLI and a call in Go.
var (
	// RegisterAgent registers a mailbox agent and returns its key, which is shown only
	// once. It returns AGENT_EXISTS if the name is taken.
	RegisterAgent = define[parley.RegisterAgentRequest, parley.RegisterAgentResult]("register_agent",
		"Join the team with a mailbox of your own. Returns your agent id and an API key, which is shown only "+
			"this once.",
		Public, Adds, givesKey, route("POST", "/api/agents/register"))

	// GetAgentStatus returns one agent, or all agents by name.
	GetAgentStatus = define[parley.AgentStatusRequest, parley.AgentStatusResult]("get_agent_status",
		"See who is there: each agent's name, id, role, state and how available it is.",
		Team, Reads, route("GET", "/api/agents"))

	// SendMessage stores a message for one or several agents, or for a thread, and starts
	// its delivery. When it returns, the message is durable.
	SendMessage = define[parley.SendMessageRequest, parley.SendMessageResult]("send_message",
		"Send a message to one or several agents, or to a thread. The result says what is proven so far, and "+
			"has a responder's reply.",
		Team, Adds, route("POST", "/api/messages/send"), self("sender_agent_id",
			"sender_id"))

	BroadcastMessage = define[parley.BroadcastMessageRequest, parley.BroadcastMessageResult]("broadcast_message",
		"Send one message to every other agent, to a list, or to a group.",
		Team, Adds, self("sender_agent_id", "sender_id", "agent_id"))

	// ScheduleMessage stores a message that is sent at a time to come, or again and again. It returns
	// INVALID_ARGUMENT for a time that has passed, and for a caller with too many schedules.
	ScheduleMessage = define[parley.ScheduleMessageRequest, parley.ScheduleMessageResult]("schedule_message",
		"Send a message at a time to come, or again and again.",
		Team, Adds)

	// ListSchedules lists the caller's schedules, and all of them to the operator.
	ListSchedules = define[parley.ListSchedulesRequest, parley.ListSchedulesResult]("list_schedules",
		"List the messages that you have planned: when each comes next, and what came of the last.",
		Team, Reads, route("GET", "/api/schedules"))

	// ChangeSchedule pauses, resumes or removes a schedule of the caller's, or any for the operator.
	ChangeSchedule = define[parley.ChangeScheduleRequest, parley.ChangeScheduleResult]("change_schedule",
		"Pause, resume or remove a planned message of yours.",
		Team, Destroys)

	BroadcastUpdate = define[parley.BroadcastUpdateRequest, parley.BroadcastUpdateResult]("broadcast_update",
		"Tell every other agent about progress, a discovery, an issue or a completion.",
		Team, Adds, self("sender_agent_id"))

	RequestAssistance = define[parley.RequestAssistanceRequest, parley.RequestAssistanceResult]("request_assistance",
		"Ask for help: the targets, else agents with the capabilities, else everyone. They must "+
			"answer by the deadline.",
		Team, Adds, self("requester_agent_id"))

	// RespondToMessage answers a message that the caller received. An answer with a status
	// is a formal one: it returns RESPONSE_NOT_REQUIRED if no answer is owed, and
	// RESPONSE_DEADLINE_PASSED after the deadline.
	RespondToMessage = define[parley.RespondToMessageRequest, parley.RespondToMessageResult]("respond_to_message",
		"Answer a message that you received; its sender gets the answer. With a status it is the formal "+
			"answer to a required response.",
		Team, Adds, route("POST", "/api/messages/respond"),
		self("responder_agent_id"))

	IgnoreMessage = define[parley.IgnoreMessageRequest, parley.IgnoreMessageResult]("ignore_message",
		"Mark a message as read without answering it.",
		Team, Marks, route("POST", "/api/messages/ignore"), self("agent_id"))

	// TransferFile copies a file of the caller into the workspace's store and tells the
	// recipient where the copy is. It returns FILE_REFUSED for a file that the caller may
	// not send, and FILE_NOT_FOUND for one that does not exist.
	TransferFile = define[parley.TransferFileRequest, parley.TransferFileResult]("transfer_file",
		"Send a copy of a file to another agent. A message tells it where the copy is.",
		Team, Adds, self("sender_id", "sender_agent_id"))

	CheckInbox = define[parley.CheckInboxRequest, parley.CheckInboxResult]("check_inbox",
		"List messages that you received, without marking them as read. With wait_seconds it waits for one.",
		Team, Reads, route("GET", "/api/inbox/check"), self("agent_id"))

	GetMessages = define[parley.GetMessagesRequest, parley.GetMessagesResult]("get_messages",
		"Read the messages that you received, and mark them as read (unless you filter or sort).",
		Team, Marks, self("agent_id"))

	MarkMessageRead = define[parley.MarkMessageReadRequest, parley.MarkMessageReadResult]("mark_message_read",
		"Mark messages as read without answering them.",
		Team, Marks, self("agent_id"))

	GetMessageStatus = define[parley.MessageStatusRequest, parley.MessageStatusResult]("get_message_status",
		"See how far a message got with each recipient, with times and evidence.",
		Team, Reads, route("GET", "/api/messages/status"))

	// Whois returns who sent a message. It returns MESSAGE_NOT_FOUND if the caller has no such
	// message.
	Whois = define[parley.WhoisRequest, parley.WhoisResult]("whois",
		"See who really sent a message that you got.",
		Team, Reads)

	GetConversationHistory = define[parley.HistoryRequest, parley.HistoryResult]("get_conversation_history",
		"Read what you and one other agent said to each other, oldest first.",
		Team, Reads, route("GET", "/api/conversations/history"),
		self("agent_id"))

	SearchMessages = define[parley.SearchMessagesRequest, parley.SearchMessagesResult]("search_messages",
		"Search the messages that you sent or received, newest first.",
		Team, Reads, route("GET", "/api/messages/search"), self("agent_id"))

	FindMessages = define[parley.FindMessagesRequest, parley.SearchMessagesResult]("find_messages",
		"Find messages of the whole team by words, people, states, types and times, newest first.",
		OperatorOnly, Reads)

	CheckNewMessages = define[parley.CheckNewMessagesRequest, parley.CheckNewMessagesResult]("check_new_messages",
		"See how many messages are unread, with a preview of the most urgent.",
		Team, Reads, self("agent_id"))

	CreateThread = define[parley.CreateThreadRequest, parley.CreateThreadResult]("create_thread",
		"Open a thread for a discussion of several agents. The others are notified.",
		Team, Adds, self("creator_id"))

	ListThreads = define[parley.ListThreadsRequest, parley.ListThreadsResult]("list_threads",
		"List the threads, the most recently active first. Any agent may join one.",
		Team, Reads)

	GetThreadDetails = define[parley.ThreadDetailsRequest, parley.ThreadDetailsResult]("get_thread_details",
		"See a thread's title, creator and participants.",
		Team, Reads)

	JoinThread = define[parley.JoinThreadRequest, parley.MembershipResult]("join_thread",
		"Join a thread; get_messages with its thread_id shows the earlier posts.",
		Team, Marks, self("agent_id"))

	// AddParticipant adds another agent. It returns NOT_A_PARTICIPANT if the caller is none.
	AddParticipant = define[parley.AddParticipantRequest, parley.MembershipResult]("add_participant_to_thread",
		"Add an agent to a thread that you are in.",
		Team, Marks, self("inviting_agent_id"))

	// RemoveParticipant removes a participant. The thread's creator and the operator may
	// remove others, and everybody may leave, except the creator. It returns
	// NOT_A_PARTICIPANT if the agent is none.
	RemoveParticipant = define[parley.RemoveParticipantRequest,
		parley.MembershipResult]("remove_participant_from_thread",
		"Leave a thread, or remove an agent from one that you created.",
		Team, Marks, self("removing_agent_id"))

	// GetConversationState returns the state of a conversation, and whether the caller
	// should answer. It returns NOT_A_PARTICIPANT for a thread that the caller is not in.
	GetConversationState = define[parley.ConversationStateRequest,
		parley.ConversationStateResult]("get_conversation_state",
		"See the state of a conversation, and whether you should answer.",
		Team, Reads, self("agent_id"))

	ControlConversation = define[parley.ControlConversationRequest,
		parley.ControlConversationResult]("control_conversation",
		"Release, cool, mute or unmute the conversation of two agents or of a thread, or change a thread's budgets.",
		OperatorOnly, Marks)

	// ReadEvents returns the events after a sequence number, and can wait for one. The
	// operator sees all events, an agent those that concern it.
	ReadEvents = define[parley.ReadEventsRequest, parley.ReadEventsResult]("read_events",
		"Read the numbered events after a sequence number; with wait_seconds it waits for more. You see the "+
			"events that concern you.",
		Team, Reads, programsOnly, route("GET", "/api/events"))

	TeamHistory = define[parley.TeamHistoryRequest, parley.TeamHistoryResult]("team_history",
		"See what the team did in the last hours, as numbers: the states of each agent, who wrote to whom, how long "+
			"questions stood open, which files several changed, and what each used by the hour.",
		OperatorOnly, Reads, programsOnly)
)

// ToolsResult is the list of tools that a caller may use.
type ToolsResult struct {
	parley.Answer
	Tools []parley.Tool `json:"tools"`
}

// ForModels reports whether the operation is offered to models. Operations for the
// operator or for programs are not.
func (o *Op) ForModels() bool { return o.Access != OperatorOnly && !o.Program }

// Tools returns the tools that the caller may use.
func Tools(c parley.Caller) []parley.Tool {
	tools := []parley.Tool{}
	for _, o := range All {
		if o.ForModels() && o.Allow(c) == nil {
			tools = append(tools, parley.Tool{
				Type:     "function",
				Function: parley.Function{Name: o.Name, Description: o.Summary, Parameters: o.parameters()},
			})
		}
	}

	return tools
}

// parameters returns the input schema. It always has `properties`: some model servers
// refuse a function without.
func (o *Op) parameters() json.RawMessage {
	if len(o.Fields) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	b, err := json.Marshal(o.Input())
	if err != nil {
		panic(err) // our own schema: the first test that runs finds it
	}
	return b
}

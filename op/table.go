package op

import (
	"encoding/json"

	"parley"
)

// Ops is the table of operations. A line here is a tool over MCP, a route over
// HTTP, a command of the CLI and a method of the Go client.
var All = []*Op{
	define("register_agent",
		"Join the team with a mailbox of your own. Returns your agent id and an API key, which is shown only "+
			"this once.",
		parley.Service.RegisterAgent, Public, Adds, givesKey, route("POST", "/api/agents/register")),
	define("get_agent_status", "See who is there: each agent's name, id, role, state and how available it is.",
		parley.Service.GetAgentStatus, Team, Reads, route("GET", "/api/agents")),
	define("send_message",
		"Send a message to one or several agents, or to a thread. The result says what is proven so far, and "+
			"has a responder's reply.",
		parley.Service.SendMessage, Team, Adds, route("POST", "/api/messages/send"), self("sender_agent_id",
			"sender_id")),
	define("broadcast_message", "Send one message to every other agent, to a list, or to a group.",
		parley.Service.BroadcastMessage, Team, Adds, self("sender_agent_id", "sender_id", "agent_id")),
	define("broadcast_update", "Tell every other agent about progress, a discovery, an issue or a completion.",
		parley.Service.BroadcastUpdate, Team, Adds, self("sender_agent_id")),
	define("request_assistance",
		"Ask for help: the targets, else agents with the capabilities, else everyone. They must "+
			"answer by the deadline.",
		parley.Service.RequestAssistance, Team, Adds, self("requester_agent_id")),
	define("respond_to_message",
		"Answer a message that you received; its sender gets the answer. With a status it is the formal "+
			"answer to a required response.",
		parley.Service.RespondToMessage, Team, Adds, route("POST", "/api/messages/respond"),
		self("responder_agent_id")),
	define("ignore_message", "Mark a message as read without answering it.",
		parley.Service.IgnoreMessage, Team, Marks, route("POST", "/api/messages/ignore"), self("agent_id")),
	define("transfer_file", "Send a copy of a file to another agent. A message tells it where the copy is.",
		parley.Service.TransferFile, Team, Adds, self("sender_id", "sender_agent_id")),
	define("check_inbox",
		"List messages that you received, without marking them as read. With wait_seconds it waits for one.",
		parley.Service.CheckInbox, Team, Reads, route("GET", "/api/inbox/check"), self("agent_id")),
	define("get_messages", "Read the messages that you received, and mark them as read (unless you filter or sort).",
		parley.Service.GetMessages, Team, Marks, self("agent_id")),
	define("mark_message_read", "Mark messages as read without answering them.",
		parley.Service.MarkMessageRead, Team, Marks, self("agent_id")),
	define("get_message_status", "See how far a message got with each recipient, with times and evidence.",
		parley.Service.GetMessageStatus, Team, Reads, route("GET", "/api/messages/status")),
	define("whois",
		"See who really sent a message that you got.",
		parley.Service.Whois, Team, Reads),
	define("get_conversation_history", "Read what you and one other agent said to each other, oldest first.",
		parley.Service.GetConversationHistory, Team, Reads, route("GET", "/api/conversations/history"),
		self("agent_id")),
	define("search_messages", "Search the messages that you sent or received, newest first.",
		parley.Service.SearchMessages, Team, Reads, route("GET", "/api/messages/search"), self("agent_id")),
	define("find_messages", "Find messages of the whole team by words, people, states, types and times, newest first.",
		parley.Service.FindMessages, OperatorOnly, Reads),
	define("check_new_messages", "See how many messages are unread, with a preview of the most urgent.",
		parley.Service.CheckNewMessages, Team, Reads, self("agent_id")),
	define("create_thread", "Open a thread for a discussion of several agents. The others are notified.",
		parley.Service.CreateThread, Team, Adds, self("creator_id")),
	define("list_threads", "List the threads, the most recently active first. Any agent may join one.",
		parley.Service.ListThreads, Team, Reads),
	define("get_thread_details", "See a thread's title, creator and participants.",
		parley.Service.GetThreadDetails, Team, Reads),
	define("join_thread", "Join a thread; get_messages with its thread_id shows the earlier posts.",
		parley.Service.JoinThread, Team, Marks, self("agent_id")),
	define("add_participant_to_thread", "Add an agent to a thread that you are in.",
		parley.Service.AddParticipant, Team, Marks, self("inviting_agent_id")),
	define("remove_participant_from_thread", "Leave a thread, or remove an agent from one that you created.",
		parley.Service.RemoveParticipant, Team, Marks, self("removing_agent_id")),
	define("get_conversation_state", "See the state of a conversation, and whether you should answer.",
		parley.Service.GetConversationState, Team, Reads, self("agent_id")),
	define("control_conversation",
		"Release, cool, mute or unmute the conversation of two agents or of a thread, or change a thread's budgets.",
		parley.Service.ControlConversation, OperatorOnly, Marks),
	define("read_events",
		"Read the numbered events after a sequence number; with wait_seconds it waits for more. You see the "+
			"events that concern you.",
		parley.Service.ReadEvents, Team, Reads, programsOnly, route("GET", "/api/events")),
	define("team_history",
		"See what the team did in the last hours, as numbers: the states of each agent, who wrote to whom, how long "+
			"questions stood open, which files several changed, and what each used by the hour.",
		parley.Service.TeamHistory, OperatorOnly, Reads, programsOnly),
	define("launch_agent",
		"Start a program in its own terminal and add it to the team as an agent. Without a profile, the program's "+
			"name decides.",
		parley.Service.LaunchAgent, Orchestrators, Adds),
	define("adopt_agent", "Add a program to the team that already runs in a pane of the user's own tmux.",
		parley.Service.AdoptAgent, Orchestrators, Adds),
	define("stop_agent",
		"Stop an agent: its whole process tree ends, or, if it was adopted, it leaves the team and keeps "+
			"running. Its messages are kept.",
		parley.Service.StopAgent, Orchestrators, Destroys),
	define("restart_agent", "Stop an agent and start it again under the same id.",
		parley.Service.RestartAgent, Orchestrators, Destroys),
	define("update_agent",
		"Compare a running agent with what it is to be, and change it: in place, by a message, or by a restart that "+
			"keeps its conversation.",
		parley.Service.UpdateAgent, OperatorOnly, Destroys),
	define("read_terminal", "Read an agent's screen.",
		parley.Service.ReadTerminal, Orchestrators, Reads, route("GET", "/api/terminal")),
	define("get_attach_info", "Get the command that shows a person an agent's terminal.",
		parley.Service.GetAttachInfo, Orchestrators, Reads, route("GET", "/api/attach")),
	define("list_worktrees",
		"See the git worktrees of agents: branch, commits ahead of and behind the branch they came from, and files "+
			"that are not committed.",
		parley.Service.ListWorktrees, Orchestrators, Reads, route("GET", "/api/worktrees")),
	define("diff_agent",
		"See what an agent has changed: in its worktree since it began, or else in its directory since the last "+
			"commit.",
		parley.Service.DiffAgent, Orchestrators, Reads, route("GET", "/api/agents/diff")),
	define("review_agent",
		"Send comments on what an agent has changed, as one message with file and line. The comments stand in the "+
			"diff, each below its line.",
		parley.Service.ReviewAgent, OperatorOnly, Adds, programsOnly),
	define("preview_merge",
		"See what merging an agent's branch would do: commits, a fast-forward or not, conflicts, what stands in the "+
			"way, and which other agents change the same files.",
		parley.Service.PreviewMerge, Orchestrators, Reads, route("GET", "/api/agents/merge")),
	define("finish_worktree",
		"Stop an agent, and merge its worktree's branch, remove the worktree, or both. Work that is not committed or "+
			"not merged is kept unless discard is given.",
		parley.Service.FinishWorktree, OperatorOnly, Destroys),
	define("pause_communication",
		"Pause all messages, or resume them. During a pause no message is accepted or typed; reading still works.",
		parley.Service.PauseCommunication, Orchestrators, Marks),
	define("steer_agent",
		"Give an agent guidance: it is typed into its terminal as [GUARDIAN GUIDANCE - KIND], with high priority.",
		parley.Service.SteerAgent, Orchestrators, Adds),
	define("get_needs",
		"See what needs the operator: open dialogs, agents that are lost, ended, blocked or stuck, "+
			"deliveries without proof, responses that are overdue, requests without an answer, agents to approve.",
		parley.Service.GetNeeds, OperatorOnly, Marks),
	define("answer_dialog",
		"See the question that is open in an agent's terminal, with its options, or answer it. Nothing is sent "+
			"unless it is still the question that was seen. A screen that is not known takes keys.",
		parley.Service.AnswerDialog, OperatorOnly, Destroys),
	define("type_in_terminal",
		"Type into an agent's terminal, as the person who looks at it in a browser. The settings must allow it.",
		parley.Service.TypeInTerminal, OperatorOnly, Destroys, programsOnly),
	define("check_program",
		"Try whether parley reads the screen of an agent's program as it is, in a terminal of its own and without a "+
			"model. It takes half a minute; get_agent_status has the result.",
		parley.Service.CheckProgram, OperatorOnly, Adds),
	define("retry_delivery",
		"Deliver a message again where it failed, expired or stayed unconfirmed; where it waits, check again at once.",
		parley.Service.RetryDelivery, OperatorOnly, Adds),
	define("explain_message",
		"Get the whole story of a message in plain words: each step with its evidence, why it waits, and what to do.",
		parley.Service.ExplainMessage, OperatorOnly, Reads, route("GET", "/api/messages/explain")),
	define("export_messages",
		"Read whole messages with every delivery and its evidence, oldest first, page by page: all of them, "+
			"those of two agents, or those of a thread.",
		parley.Service.ExportMessages, OperatorOnly, Reads, programsOnly, route("GET", "/api/messages/export")),
	define("report_state", "Report what an agent's program is doing. Only the program's own hooks call this.",
		parley.Service.ReportState, Team, Marks, programsOnly),
	define("report_native_message",
		"Ask whether a program may send a message to another agent with a tool of its own. Only the program's hooks "+
			"call this.",
		parley.Service.ReportNativeMessage, Team, Marks, programsOnly),
	define("issue_key", "Make another API key for an agent. It is shown only this once.",
		parley.Service.IssueKey, OperatorOnly, Adds, givesKey),
	define("invite",
		"Make a token with which programs of other users and machines may register. It is shown only this once.",
		parley.Service.Invite, OperatorOnly, Adds, givesKey),
	define("open_page",
		"Make a link that opens parley's page in a browser, once. The session may do what the operator may, or only "+
			"look.",
		parley.Service.OpenPage, OperatorOnly, Adds, givesKey, programsOnly),
	define("rotate_key", "Make a new API key for an agent and revoke all its others. It is shown only this once.",
		parley.Service.RotateKey, OperatorOnly, Destroys, givesKey),
	define("revoke_key", "Revoke one API key, or all keys of an agent.",
		parley.Service.RevokeKey, OperatorOnly, Destroys),
	define("list_keys", "See which API keys are valid, when they were made, and when they were last used.",
		parley.Service.ListKeys, OperatorOnly, Reads),
	define("approve_agent",
		"Approve or decline an agent that asked to be a special agent, or that registered from elsewhere.",
		parley.Service.ApproveAgent, OperatorOnly, Marks),
	define("list_files",
		"See which files are stored, the newest first: their sizes, who sent them, and how much space they take.",
		parley.Service.ListFiles, OperatorOnly, Reads),
	define("remove_files", "Delete files, by id or by age. Messages that carry a deleted file say so from then on.",
		parley.Service.RemoveFiles, OperatorOnly, Destroys),
	define("add_responder", "Add an agent for which a model answers at once, or change how a model answers for it.",
		parley.Service.AddResponder, OperatorOnly, Marks),
	define("list_responders",
		"See the agents for which a model answers: which model, on which server, and what keeps it from answering.",
		parley.Service.ListResponders, OperatorOnly, Reads, route("GET", "/api/responders")),
	define("usage",
		"See what models used: for responders tokens, time and failures, in total, by agent and by call; for the "+
			"programs in terminals tokens and costs by agent, model and day.",
		parley.Service.Usage, OperatorOnly, Reads, route("GET", "/api/usage")),
	define("get_workspace_status", "See what the daemon runs, where, and whether it is well.",
		parley.Service.GetWorkspaceStatus, OperatorOnly, Reads, glance, route("GET", "/api/status")),
	define("backup", "Write a consistent copy of the database to a file, while the daemon runs.",
		parley.Service.Backup, OperatorOnly, Adds),
	define("send_test_notice", "Send a test notice to the operator, by all ways that parley.yaml names.",
		parley.Service.SendTestNotice, OperatorOnly, Adds),
	define("notify_device", "Have notices pushed to the browser of a session of the page, or no longer.",
		parley.Service.NotifyDevice, OperatorOnly, Adds, programsOnly),
	define("list_hosts", "See which machines share the workspace, with the agents that each of them has.",
		parley.Service.ListHosts, OperatorOnly, Reads, route("GET", "/api/hosts")),
	define("remove_host",
		"Remove a machine that is gone for good from the team: its agents are stopped, and what waits for them fails.",
		parley.Service.RemoveHost, OperatorOnly, Destroys),
	define("shut_down", "Stop the daemon, and its agents unless you keep them.",
		parley.Service.ShutDown, OperatorOnly, Destroys),
}

// ToolsResult is the list of tools that a caller may use.
type ToolsResult struct {
	parley.Answer
	Tools []parley.Tool `json:"tools"`
}

// ForModels reports whether the operation is offered to models. Operations for the
// operator or for programs are not.
func (o *Op) ForModels() bool { return o.Access != OperatorOnly && !o.Program }

// ToolsFor returns the tools that the caller may use.
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

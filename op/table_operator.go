package op

import "parley"

// The operations that are for the operator, for agents that orchestrate, or for programs. They follow those of table.go
// in All: Go initializes the files of a package by their names.
var (
	// LaunchAgent starts a program in its own tmux session and returns when its process
	// runs. Launching under the name of a stopped agent revives that agent's id.
	LaunchAgent = define[parley.LaunchAgentRequest, parley.LaunchAgentResult]("launch_agent",
		"Start a program in its own terminal and add it to the team as an agent. Without a profile, the program's "+
			"name decides.",
		Orchestrators, Adds)

	// AdoptAgent makes an agent of a program that already runs, in a pane of a tmux server
	// that is not parley's. It changes nothing there except two options of that pane. It
	// returns AGENT_EXISTS if the pane already belongs to an agent.
	AdoptAgent = define[parley.AdoptAgentRequest, parley.AdoptAgentResult]("adopt_agent",
		"Add a program to the team that already runs in a pane of the user's own tmux.",
		Orchestrators, Adds)

	// StopAgent ends the agent's whole process tree and returns when it is gone. An
	// adopted agent only leaves the team.
	StopAgent = define[parley.StopAgentRequest, parley.StopAgentResult]("stop_agent",
		"Stop an agent: its whole process tree ends, or, if it was adopted, it leaves the team and keeps "+
			"running. Its messages are kept.",
		Orchestrators, Destroys)

	// RestartAgent stops an agent and launches it again, with a new key and the same id.
	RestartAgent = define[parley.RestartAgentRequest, parley.LaunchAgentResult]("restart_agent",
		"Stop an agent and start it again under the same id.",
		Orchestrators, Destroys)

	// HandoffAgent lets another program go on for an agent, under the same id, and briefs it. It returns
	// AGENT_UNAVAILABLE when that does not start, and the old one is back.
	HandoffAgent = define[parley.HandoffAgentRequest, parley.HandoffAgentResult]("handoff_agent",
		"Let another program go on with an agent's work: the same id, name, inbox, open requests, threads and "+
			"directory. The new program is told what was asked, done and is open.",
		Orchestrators, Destroys)

	// UpdateAgent brings a running agent in line with what it is to be, and returns what differed.
	// It restarts the program only if it must.
	UpdateAgent = define[parley.UpdateAgentRequest, parley.UpdateAgentResult]("update_agent",
		"Compare a running agent with what it is to be, and change it: in place, by a message, or by a restart that "+
			"keeps its conversation.",
		OperatorOnly, Destroys)

	ReadTerminal = define[parley.ReadTerminalRequest, parley.ReadTerminalResult]("read_terminal",
		"Read an agent's screen.",
		Orchestrators, Reads, route("GET", "/api/terminal"))

	GetAttachInfo = define[parley.AttachInfoRequest, parley.AttachInfoResult]("get_attach_info",
		"Get the command that shows a person an agent's terminal.",
		Orchestrators, Reads, route("GET", "/api/attach"))

	ListSessions = define[parley.ListSessionsRequest, parley.ListSessionsResult]("list_sessions",
		"Find the conversations that the agent programs keep on this machine, of all directories, newest first, by "+
			"what was said in them.",
		OperatorOnly, Reads)

	ListWorktrees = define[parley.WorktreesRequest, parley.WorktreesResult]("list_worktrees",
		"See the git worktrees of agents: branch, commits ahead of and behind the branch they came from, and files "+
			"that are not committed.",
		Orchestrators, Reads, route("GET", "/api/worktrees"))

	DiffAgent = define[parley.DiffAgentRequest, parley.DiffAgentResult]("diff_agent",
		"See what an agent has changed: in its worktree since it began, or else in its directory since the last "+
			"commit.",
		Orchestrators, Reads, route("GET", "/api/agents/diff"))

	ReviewAgent = define[parley.ReviewAgentRequest, parley.SendMessageResult]("review_agent",
		"Send comments on what an agent has changed, as one message with file and line. The comments stand in the "+
			"diff, each below its line.",
		OperatorOnly, Adds, programsOnly)

	PreviewMerge = define[parley.PreviewMergeRequest, parley.PreviewMergeResult]("preview_merge",
		"See what merging an agent's branch would do: commits, a fast-forward or not, conflicts, what stands in the "+
			"way, and which other agents change the same files.",
		Orchestrators, Reads, route("GET", "/api/agents/merge"))

	// FinishWorktree stops an agent, and merges or removes its worktree. It never throws work away
	// unless that is asked for in so many words.
	FinishWorktree = define[parley.FinishWorktreeRequest, parley.FinishWorktreeResult]("finish_worktree",
		"Stop an agent, and merge its worktree's branch, remove the worktree, or both. Work that is not committed or "+
			"not merged is kept unless discard is given.",
		OperatorOnly, Destroys)

	OpenPullRequest = define[parley.OpenPullRequestRequest, parley.OpenPullRequestResult]("open_pull_request",
		"Push an agent's branch and open a pull request for it, with gh or glab as they are signed in. From then on "+
			"failing checks and review comments come to the agent as messages.",
		OperatorOnly, Adds)

	// PauseCommunication pauses all messages, or resumes them. During a pause new messages
	// are refused and stored ones held.
	PauseCommunication = define[parley.PauseCommunicationRequest,
		parley.PauseCommunicationResult]("pause_communication",
		"Pause all messages, or resume them. During a pause no message is accepted or typed; reading still works.",
		Orchestrators, Marks)

	SteerAgent = define[parley.SteerAgentRequest, parley.SendMessageResult]("steer_agent",
		"Give an agent guidance: it is typed into its terminal as [GUARDIAN GUIDANCE - KIND], with high priority.",
		Orchestrators, Adds)

	GetNeeds = define[parley.GetNeedsRequest, parley.GetNeedsResult]("get_needs",
		"See what needs the operator: open dialogs, agents that are lost, ended, blocked or stuck, "+
			"deliveries without proof, responses that are overdue, requests without an answer, agents to approve.",
		OperatorOnly, Marks)

	// AnswerDialog returns the dialog that is open in the agent's terminal, or chooses one of its
	// options. It returns DIALOG_CHANGED, and sends nothing, if another dialog than the one that
	// was seen is open, or none.
	AnswerDialog = define[parley.AnswerDialogRequest, parley.AnswerDialogResult]("answer_dialog",
		"See the question that is open in an agent's terminal, with its options, or answer it. Nothing is sent "+
			"unless it is still the question that was seen. A screen that is not known takes keys.",
		OperatorOnly, Destroys)

	// TypeInTerminal types into the agent's terminal for a person who looks at it elsewhere. It returns
	// NOT_AUTHORIZED unless the settings allow that.
	TypeInTerminal = define[parley.TypeInTerminalRequest, parley.TypeInTerminalResult]("type_in_terminal",
		"Type into an agent's terminal, as the person who looks at it in a browser. The settings must allow it.",
		OperatorOnly, Destroys, programsOnly)

	// CheckProgram begins to try whether parley reads the program of an agent in the version that it has now. It
	// does not wait for the end. It returns INVALID_ARGUMENT for an agent whose program's version is not known.
	CheckProgram = define[parley.CheckProgramRequest, parley.CheckProgramResult]("check_program",
		"Try whether parley reads the screen of an agent's program as it is, in a terminal of its own and without a "+
			"model. It takes half a minute; get_agent_status has the result.",
		OperatorOnly, Adds)

	// RetryDelivery delivers a message again where it failed, expired or stayed
	// unconfirmed, and checks at once where it waits. A responder that gave no answer is
	// asked again. It returns ALREADY_DELIVERED if there is nothing to retry.
	RetryDelivery = define[parley.RetryDeliveryRequest, parley.RetryDeliveryResult]("retry_delivery",
		"Deliver a message again where it failed, expired or stayed unconfirmed; where it waits, check again at once.",
		OperatorOnly, Adds)

	ExplainMessage = define[parley.ExplainMessageRequest, parley.ExplainMessageResult]("explain_message",
		"Get the whole story of a message in plain words: each step with its evidence, why it waits, and what to do.",
		OperatorOnly, Reads, route("GET", "/api/messages/explain"))

	ExportMessages = define[parley.ExportMessagesRequest, parley.ExportMessagesResult]("export_messages",
		"Read whole messages with every delivery and its evidence, oldest first, page by page: all of them, "+
			"those of two agents, or those of a thread.",
		OperatorOnly, Reads, programsOnly, route("GET", "/api/messages/export"))

	// ReportState takes a report of an agent's own program. The agent is the caller. It
	// returns NOT_AUTHORIZED if the caller has no terminal.
	ReportState = define[parley.ReportStateRequest, parley.ReportStateResult]("report_state",
		"Report what an agent's program is doing. Only the program's own hooks call this.",
		Team, Marks, programsOnly)

	// ReportNativeMessage decides on a message that the caller's program is about to send to another agent
	// with a tool of its own, and records it if the settings say so. It returns NOT_AUTHORIZED if the caller
	// has no terminal.
	ReportNativeMessage = define[parley.NativeMessageRequest, parley.NativeMessageResult]("report_native_message",
		"Ask whether a program may send a message to another agent with a tool of its own. Only the program's hooks "+
			"call this.",
		Team, Marks, programsOnly)

	// IssueKey makes another API key for an agent and returns it; it is shown only once.
	// It returns AGENT_UNAVAILABLE if the agent is stopped.
	IssueKey = define[parley.IssueKeyRequest, parley.IssueKeyResult]("issue_key",
		"Make another API key for an agent. It is shown only this once.",
		OperatorOnly, Adds, givesKey)

	// Invite makes a token with which programs of other users and machines may register; it is
	// shown only once.
	Invite = define[parley.InviteRequest, parley.InviteResult]("invite",
		"Make a token with which programs of other users and machines may register. It is shown only this once.",
		OperatorOnly, Adds, givesKey)

	// OpenPage makes a one-time code for the page in a browser; it is shown only once.
	OpenPage = define[parley.OpenPageRequest, parley.OpenPageResult]("open_page",
		"Make a link that opens parley's page in a browser, once. The session may do what the operator may, or only "+
			"look.",
		OperatorOnly, Adds, givesKey, programsOnly)

	// RotateKey makes a new key and revokes all others of the agent.
	RotateKey = define[parley.RotateKeyRequest, parley.IssueKeyResult]("rotate_key",
		"Make a new API key for an agent and revoke all its others. It is shown only this once.",
		OperatorOnly, Destroys, givesKey)

	// RevokeKey revokes one key, or all keys of an agent.
	RevokeKey = define[parley.RevokeKeyRequest, parley.RevokeKeyResult]("revoke_key",
		"Revoke one API key, or all keys of an agent.",
		OperatorOnly, Destroys)

	ListKeys = define[parley.ListKeysRequest, parley.ListKeysResult]("list_keys",
		"See which API keys are valid, when they were made, and when they were last used.",
		OperatorOnly, Reads)

	// ApproveAgent decides whether an agent may be a special agent.
	ApproveAgent = define[parley.ApproveAgentRequest, parley.ApproveAgentResult]("approve_agent",
		"Approve or decline an agent that asked to be a special agent, or that registered from elsewhere.",
		OperatorOnly, Marks)

	ListFiles = define[parley.ListFilesRequest, parley.ListFilesResult]("list_files",
		"See which files are stored, the newest first: their sizes, who sent them, and how much space they take.",
		OperatorOnly, Reads)

	// RemoveFiles deletes the contents of files and the recipients' copies. Later requests
	// for such a file get a FILE_NOT_FOUND that says so, and its messages say so.
	RemoveFiles = define[parley.RemoveFilesRequest, parley.RemoveFilesResult]("remove_files",
		"Delete files, by id or by age. Messages that carry a deleted file say so from then on.",
		OperatorOnly, Destroys)

	// AddResponder adds an agent for which a model answers, or changes its configuration.
	// It approves an agent that asked to be special. It returns AGENT_EXISTS if the name is
	// taken by another agent.
	AddResponder = define[parley.AddResponderRequest, parley.AddResponderResult]("add_responder",
		"Add an agent for which a model answers at once, or change how a model answers for it.",
		OperatorOnly, Marks)

	ListResponders = define[parley.ListRespondersRequest, parley.ListRespondersResult]("list_responders",
		"See the agents for which a model answers: which model, on which server, and what keeps it from answering.",
		OperatorOnly, Reads, route("GET", "/api/responders"))

	Usage = define[parley.UsageRequest, parley.UsageResult]("usage",
		"See what models used: for responders tokens, time and failures, in total, by agent and by call; for the "+
			"programs in terminals tokens and costs by agent, model and day.",
		OperatorOnly, Reads, route("GET", "/api/usage"))

	GetWorkspaceStatus = define[parley.WorkspaceStatusRequest, parley.WorkspaceStatusResult]("get_workspace_status",
		"See what the daemon runs, where, and whether it is well.",
		OperatorOnly, Reads, glance, route("GET", "/api/status"))

	// Backup writes a consistent copy of the database while the daemon runs.
	Backup = define[parley.BackupRequest, parley.BackupResult]("backup",
		"Write a consistent copy of the database to a file, while the daemon runs.",
		OperatorOnly, Adds)

	// SendTestNotice sends a notice by all ways of parley.yaml, and returns how that went. It
	// returns INVALID_ARGUMENT if there is none.
	SendTestNotice = define[parley.SendTestNoticeRequest, parley.SendTestNoticeResult]("send_test_notice",
		"Send a test notice to the operator, by all ways that parley.yaml names.",
		OperatorOnly, Adds)

	// NotifyDevice lets notices be pushed to a browser for as long as the session of the page lives that asks
	// for it, or no longer. It returns INVALID_ARGUMENT to what is no such session.
	NotifyDevice = define[parley.NotifyDeviceRequest, parley.NotifyDeviceResult]("notify_device",
		"Have notices pushed to the browser of a session of the page, or no longer.",
		OperatorOnly, Adds, programsOnly)

	ListHosts = define[parley.ListHostsRequest, parley.ListHostsResult]("list_hosts",
		"See which machines share the workspace, with the agents that each of them has.",
		OperatorOnly, Reads, route("GET", "/api/hosts"))

	// RemoveHost removes a host that is away for good: its agents are stopped, and what waits for
	// them fails. It returns INVALID_ARGUMENT for a host that is at work.
	RemoveHost = define[parley.RemoveHostRequest, parley.RemoveHostResult]("remove_host",
		"Remove a machine that is gone for good from the team: its agents are stopped, and what waits for them fails.",
		OperatorOnly, Destroys)

	// ShutDown stops the daemon, and all agents unless they are kept.
	ShutDown = define[parley.ShutDownRequest, parley.ShutDownResult]("shut_down",
		"Stop the daemon, and its agents unless you keep them.",
		OperatorOnly, Destroys)
)

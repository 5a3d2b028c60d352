package orchestrator

import (
	"parley/op"
	"parley/orchestrator/agents"
	"parley/orchestrator/events"
	"parley/orchestrator/messages"
	"parley/orchestrator/needs"
	"parley/orchestrator/threads"
)

// services do the operations, a noun each.
type services struct {
	agents        *agents.Service
	programs      *agents.Programs
	terminals     *agents.Terminals
	handoffs      *agents.Handoffs
	worktrees     *agents.Worktrees
	sessions      *agents.Sessions
	messages      *messages.Service
	schedules     *messages.Schedules
	threads       *threads.Service
	operator      *needs.Service
	notices       *needs.Notices
	conversations *threads.Conversations
	responders    *agents.Models
	events        *events.Service
}

// register has the services answer the operations.
func (o *Orchestrator) register() {
	o.Handlers = op.Handlers{}
	o.registerTeam(&o.services)
	o.registerTalk(&o.services)
	o.registerControl(&o.services)
}

// registerTeam registers what concerns agents, their terminals and their work.
func (o *Orchestrator) registerTeam(s *services) {
	op.RegisterAgent.Handle(o.Handlers, s.agents.RegisterAgent)
	op.GetAgentStatus.Handle(o.Handlers, s.agents.GetAgentStatus)

	op.CheckProgram.Handle(o.Handlers, s.programs.CheckProgram)

	op.LaunchAgent.Handle(o.Handlers, s.terminals.LaunchAgent)
	op.StopAgent.Handle(o.Handlers, s.terminals.StopAgent)
	op.RestartAgent.Handle(o.Handlers, s.terminals.RestartAgent)
	op.HandoffAgent.Handle(o.Handlers, s.handoffs.HandoffAgent)
	op.UpdateAgent.Handle(o.Handlers, s.terminals.UpdateAgent)
	op.ReadTerminal.Handle(o.Handlers, s.terminals.ReadTerminal)
	op.GetAttachInfo.Handle(o.Handlers, s.terminals.GetAttachInfo)
	op.AnswerDialog.Handle(o.Handlers, s.terminals.AnswerDialog)
	op.AdoptAgent.Handle(o.Handlers, s.terminals.Terminals.AdoptAgent)
	op.TypeInTerminal.Handle(o.Handlers, s.terminals.Terminals.TypeInTerminal)
	op.ReportState.Handle(o.Handlers, s.terminals.Terminals.ReportState)

	op.ListSessions.Handle(o.Handlers, s.sessions.ListSessions)

	op.ListWorktrees.Handle(o.Handlers, s.worktrees.ListWorktrees)
	op.DiffAgent.Handle(o.Handlers, s.worktrees.DiffAgent)
	op.ReviewAgent.Handle(o.Handlers, s.worktrees.ReviewAgent)
	op.PreviewMerge.Handle(o.Handlers, s.worktrees.PreviewMerge)
	op.FinishWorktree.Handle(o.Handlers, s.worktrees.FinishWorktree)
	op.OpenPullRequest.Handle(o.Handlers, s.worktrees.OpenPullRequest)
}

// registerTalk registers what agents and people say to each other.
func (o *Orchestrator) registerTalk(s *services) {
	op.SendMessage.Handle(o.Handlers, s.messages.SendMessage)
	op.BroadcastMessage.Handle(o.Handlers, s.messages.BroadcastMessage)
	op.ScheduleMessage.Handle(o.Handlers, s.schedules.ScheduleMessage)
	op.ListSchedules.Handle(o.Handlers, s.schedules.ListSchedules)
	op.ChangeSchedule.Handle(o.Handlers, s.schedules.ChangeSchedule)
	op.BroadcastUpdate.Handle(o.Handlers, s.messages.Assistance.BroadcastUpdate)
	op.RequestAssistance.Handle(o.Handlers, s.messages.Assistance.RequestAssistance)
	op.RespondToMessage.Handle(o.Handlers, s.messages.Responses.RespondToMessage)
	op.IgnoreMessage.Handle(o.Handlers, s.messages.Responses.IgnoreMessage)
	op.CheckInbox.Handle(o.Handlers, s.messages.CheckInbox)
	op.GetMessages.Handle(o.Handlers, s.messages.GetMessages)
	op.MarkMessageRead.Handle(o.Handlers, s.messages.MarkMessageRead)
	op.GetMessageStatus.Handle(o.Handlers, s.messages.GetMessageStatus)
	op.Whois.Handle(o.Handlers, s.messages.Whois)
	op.GetConversationHistory.Handle(o.Handlers, s.messages.GetConversationHistory)
	op.SearchMessages.Handle(o.Handlers, s.messages.Search.SearchMessages)
	op.FindMessages.Handle(o.Handlers, s.messages.Search.FindMessages)
	op.CheckNewMessages.Handle(o.Handlers, s.messages.CheckNewMessages)
	op.ReportNativeMessage.Handle(o.Handlers, s.messages.ReportNativeMessage)

	op.CreateThread.Handle(o.Handlers, s.threads.CreateThread)
	op.ListThreads.Handle(o.Handlers, s.threads.ListThreads)
	op.GetThreadDetails.Handle(o.Handlers, s.threads.GetThreadDetails)
	op.JoinThread.Handle(o.Handlers, s.threads.JoinThread)
	op.AddParticipant.Handle(o.Handlers, s.threads.AddParticipant)
	op.RemoveParticipant.Handle(o.Handlers, s.threads.RemoveParticipant)

	op.TransferFile.Handle(o.Handlers, o.Files.TransferFile)
	op.ListFiles.Handle(o.Handlers, o.Files.ListFiles)
	op.RemoveFiles.Handle(o.Handlers, o.Files.RemoveFiles)
}

// registerControl registers what the operator sees and steers.
func (o *Orchestrator) registerControl(s *services) {
	op.PauseCommunication.Handle(o.Handlers, s.operator.PauseCommunication)
	op.SteerAgent.Handle(o.Handlers, s.operator.SteerAgent)
	op.GetNeeds.Handle(o.Handlers, s.operator.GetNeeds)
	op.RetryDelivery.Handle(o.Handlers, s.operator.RetryDelivery)
	op.ExplainMessage.Handle(o.Handlers, s.operator.ExplainMessage)
	op.ExportMessages.Handle(o.Handlers, s.operator.ExportMessages)

	op.IssueKey.Handle(o.Handlers, o.Keys.IssueKey)
	op.Invite.Handle(o.Handlers, o.Keys.Invite)
	op.OpenPage.Handle(o.Handlers, o.Keys.OpenPage)
	op.RotateKey.Handle(o.Handlers, o.Keys.RotateKey)
	op.RevokeKey.Handle(o.Handlers, o.Keys.RevokeKey)
	op.ListKeys.Handle(o.Handlers, o.Keys.ListKeys)
	op.ApproveAgent.Handle(o.Handlers, o.Keys.ApproveAgent)

	op.GetConversationState.Handle(o.Handlers, s.conversations.GetConversationState)
	op.ControlConversation.Handle(o.Handlers, s.conversations.ControlConversation)

	op.AddResponder.Handle(o.Handlers, s.responders.AddResponder)
	op.ListResponders.Handle(o.Handlers, s.responders.ListResponders)
	op.Usage.Handle(o.Handlers, s.responders.Usage)

	op.ReadEvents.Handle(o.Handlers, s.events.ReadEvents)
	op.TeamHistory.Handle(o.Handlers, s.events.TeamHistory)

	op.GetWorkspaceStatus.Handle(o.Handlers, o.Workspace.GetWorkspaceStatus)
	op.Backup.Handle(o.Handlers, o.Workspace.Backup)
	op.SendTestNotice.Handle(o.Handlers, s.notices.SendTestNotice)
	op.NotifyDevice.Handle(o.Handlers, s.notices.NotifyDevice)
	op.ListHosts.Handle(o.Handlers, o.Workspace.ListHosts)
	op.RemoveHost.Handle(o.Handlers, o.Workspace.RemoveHost)
	op.ShutDown.Handle(o.Handlers, o.Workspace.ShutDown)
}

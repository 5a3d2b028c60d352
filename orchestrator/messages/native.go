package messages

import (
	"context"
	"regexp"
	"slices"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// ReportNativeMessage does op.ReportNativeMessage. A message to anybody but a member is none of the team.
func (ms *Service) ReportNativeMessage(
	ctx context.Context, req parley.NativeMessageRequest,
) (*parley.NativeMessageResult, error) {
	from, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if from.Kind != parley.KindTerminal {
		return nil, parley.Errorf(parley.NotAuthorized, "%s has no program that could send a message", from.Name).
			Suggest("Leave this to the hooks of agents that were launched, and send with send_message.")
	}

	res := &parley.NativeMessageResult{Answer: parley.OK, Allowed: true}
	mode := ms.Admission.Settings.Native
	to := ms.nativeRecipient(&req)
	if mode == parley.NativeAllow || to == nil || to == from {
		return res, nil
	}

	if mode == parley.NativeRecord {
		stored, err := ms.recordNative(ctx, from, to, &req)
		if err == nil {
			res.MessageID = stored.Message.ID
			return res, nil
		}
		refused := parley.AsError(err)
		if refused.Code == parley.Internal {
			return nil, err
		}
		res.Allowed, res.Message = false, "Not sent: "+refused.Error()+". "+refused.Action
		return res, nil
	}

	res.Allowed = false
	res.Message = "Not sent: that is " + to.Name + ", a member of your team. Reach it with the tool send_message " +
		"of the " +
		`MCP server parley, to: "` + to.Name + `": only what goes that way is delivered once, recorded and proven.`

	return res, nil
}

// recordNative stores a message that the sender's program sends itself.
func (ms *Service) recordNative(
	ctx context.Context, from, to *team.Member, req *parley.NativeMessageRequest,
) (store.Appended, error) {
	text := plain.Clean(req.Text)
	if !plain.Visible(text) {
		text = "(" + plain.CleanLine(req.Tool) + " without a text)"
	}

	return ms.Admission.Admit(ctx, from, admission.Draft{
		Recipients: []*team.Member{to},
		Native:     plain.CleanLine(req.Tool),
		Message: parley.Message{
			Kind: parley.KindDirect, Type: parley.TypeNative, Priority: parley.PriorityNormal,
			Text: plain.Truncate(text, ms.Admission.Settings.MaxText),
		},
	})
}

// sessionRef is what Claude Code and Qwen Code add to the name of a session if two have it.
var sessionRef = regexp.MustCompile(` \[[^\]]*\]$`)

// nativeRecipient returns the member that a program's own tool would reach, nil if it is none: by its
// session, by the process of that, or by its name here.
func (ms *Service) nativeRecipient(req *parley.NativeMessageRequest) *team.Member {
	for _, m := range ms.Roster.All() {
		if id := m.Agent().Session.ID; id != "" && slices.Contains(append(req.Sessions, req.To), id) {
			return m
		}
	}

	for _, pid := range req.PIDs {
		if caller := ms.Roster.CallerOfProcess(pid, 0); caller.Kind == parley.KindTerminal {
			return ms.Roster.ByID(caller.ID)
		}
	}

	if m, err := ms.Roster.Find(sessionRef.ReplaceAllString(req.To, "")); err == nil {
		return m
	}

	return nil
}

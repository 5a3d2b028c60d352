package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
)

// noticeEvery is the interval between two looks at what needs the operator.
const noticeEvery = 5 * time.Second

// noticeDuty is the duty to tell the operator what all hosts know: of those that can, one does.
const noticeDuty = "notices"

// notify tells the operator what needs them, until ctx ends.
func (o *Orchestrator) notify(ctx context.Context) {
	if o.opts.Away.Notifier == nil {
		o.leaveNotices(ctx)
		return
	}

	for wait.Pause(ctx, noticeEvery) == nil {
		mine, err := o.store.OnDuty(ctx, noticeDuty)
		var needs []parley.Need
		if err == nil {
			needs, err = o.operatorService.needs(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			o.log.Warn("look for what needs the operator", "error", err)
			continue
		}
		needs = slices.DeleteFunc(needs, func(n parley.Need) bool {
			return n.Between || !mine && !slices.Contains(knownHere, n.Kind)
		})
		o.opts.Away.Notifier.Look(needs)
	}
}

// leaveNotices leaves the notices to other hosts, which tell nobody while this one has the duty.
func (o *Orchestrator) leaveNotices(ctx context.Context) {
	for {
		err := o.store.LeaveDuty(ctx, noticeDuty)
		if err == nil {
			return
		}
		o.log.Warn("leave the notices to another host", "error", err)
		if wait.Pause(ctx, noticeEvery) != nil {
			return
		}
	}
}

// knownHere are the kinds of needs that only the host of their agents knows: it tells of them, whoever has the duty.
var knownHere = []parley.NeedKind{parley.NeedStuck, parley.NeedDraft, parley.NeedOverlap}

// noticeOfOverlap tells an agent that another one changes its files.
func (o *Orchestrator) noticeOfOverlap(ctx context.Context, to *team.Member, text, key string) error {
	return o.rooms.admission.notify(ctx, []*team.Member{to}, text, nil, key)
}

// SendTestNotice implements parley.WorkspaceService.
func (ws *workspaceService) SendTestNotice(
	ctx context.Context, _ parley.SendTestNoticeRequest,
) (*parley.SendTestNoticeResult, error) {
	if ws.opts.Away.Notifier == nil {
		return nil, parley.Errorf(parley.InvalidArgument, "parley.yaml names no way by which notices go").
			Suggest("Give notify: a command, a webhook or a topic of ntfy there, trust the file with parley trust, " +
				"and restart the daemon: parley down --keep-agents, then any command.")
	}
	return &parley.SendTestNoticeResult{Answer: parley.OK, Ways: ws.opts.Away.Notifier.Test(ctx)}, nil
}

// notices returns how the ways of notices work, nil if there is none.
func (opts *Options) notices() []parley.NoticeWay {
	if opts.Away.Notifier == nil {
		return nil
	}
	return opts.Away.Notifier.Ways()
}

// startNeeds tells that somebody else started the daemon, and what it did not take from them.
func (op *operatorService) startNeeds() []parley.Need {
	info := &op.opts.Info
	if len(info.Ignored) == 0 {
		return nil
	}

	system := op.roster.Operator()
	return []parley.Need{{
		Kind: parley.NeedStart, AgentID: system.ID, Agent: system.Name, Since: info.StartedAt,
		Text: "an agent, or something that parley cannot tell from one, started the daemon; parley ignores its " +
			strings.Join(info.Ignored, ", "),
		Command: "parley down --keep-agents",
		Action:  "Start it yourself then: parley serve. The agents stay.",
	}}
}

// notifierNeeds tells of each way by which notices do not go.
func (op *operatorService) notifierNeeds() (needs []parley.Need) {
	system := op.roster.Operator()
	for _, w := range op.opts.notices() {
		if !w.Works {
			needs = append(needs, parley.Need{
				Kind: parley.NeedNotifier, AgentID: system.ID, Agent: system.Name, Since: *w.Since,
				Text:    fmt.Sprintf("you are not notified by the %s: %s", w.Way, w.Problem),
				Command: "parley notify test",
				Action:  "Correct notify: in parley.yaml, or what it names, and try again.",
			})
		}
	}
	return needs
}

package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/notify"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/tmux"
)

// notifiers returns those that have somebody to tell.
func (a *Away) notifiers() (all []*notify.Notifier) {
	if a.Notifier != nil {
		all = append(all, a.Notifier)
	}
	if a.Devices != nil && a.Devices.Count() > 0 {
		all = append(all, a.Push)
	}
	return all
}

// push tells the devices of this host what needs the operator, until ctx ends. A device is known to one host only.
func (o *Orchestrator) push(ctx context.Context) {
	for wait.Pause(ctx, noticeEvery) == nil {
		if o.opts.Away.Devices.Count() == 0 {
			continue
		}
		needs, err := o.services.operator.needs(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			o.log.Warn("look for what needs the operator", "error", err)
			continue
		}
		needs = slices.DeleteFunc(needs, func(n parley.Need) bool { return n.Between })
		o.services.operator.agents.addScreens(ctx, needs) // for the questions that are open
		o.opts.Away.Push.Look(needs)
	}
}

// NotifyDevice does op.NotifyDevice.
func (ws *workspaceService) NotifyDevice(
	ctx context.Context, req parley.NotifyDeviceRequest,
) (*parley.NotifyDeviceResult, error) {
	devices, session := ws.opts.Away.Devices, parley.CallerFrom(ctx).Session
	if devices == nil || session == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "only a session of the page has notices pushed to its "+
			"browser").
			Suggest("Open the page there: parley web")
	}

	var err error
	switch {
	case req.Remove:
		err = devices.Remove(req.Endpoint)
	case req.Endpoint != "":
		err = devices.Add(notify.Device{
			Endpoint: req.Endpoint, Public: req.Public, Secret: req.Secret, Session: session,
		})
	}
	if err != nil {
		return nil, err
	}

	key, err := devices.PublicKey()
	if err != nil {
		return nil, err
	}
	return &parley.NotifyDeviceResult{Answer: parley.OK, PublicKey: key, Devices: devices.Count()}, nil
}

// sessionLives reports whether a session of the page may still do what the operator may.
func (o *Orchestrator) sessionLives(id string) bool {
	roster := o.rooms.roster
	return slices.ContainsFunc(roster.Keys.List(roster.ByName(parley.OperatorName)), func(k *team.Key) bool {
		return k.KeyID == id && k.Origin == parley.KeyPage && !k.Ended(o.now())
	})
}

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
			needs, err = o.services.operator.needs(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			o.log.Warn("look for what needs the operator", "error", err)
			continue
		}
		needs = slices.DeleteFunc(needs, func(n parley.Need) bool {
			row, _ := parley.NeedRowOf(n.Kind)
			return n.Between || !mine && !row.Local // the host of the agents tells of those, whoever has the duty
		})
		o.services.operator.agents.addScreens(ctx, needs) // for the questions that are open, and their options
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

// noticeOfOverlap tells an agent that another one changes its files.
func (o *Orchestrator) noticeOfOverlap(ctx context.Context, to *team.Member, text, key string) error {
	return o.rooms.admission.notify(ctx, []*team.Member{to}, text, nil, key)
}

// SendTestNotice does op.SendTestNotice.
func (ws *workspaceService) SendTestNotice(
	ctx context.Context, _ parley.SendTestNoticeRequest,
) (*parley.SendTestNoticeResult, error) {
	ways := []parley.NoticeWay{}
	for _, n := range ws.opts.Away.notifiers() {
		ways = append(ways, n.Test(ctx)...)
	}
	if len(ways) == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "parley.yaml names no way by which notices go").
			Suggest("Give notify: a command, a webhook or a topic of ntfy there, trust the file with parley trust, " +
				"and restart the daemon: parley down --keep-agents, then any command.")
	}
	return &parley.SendTestNoticeResult{Answer: parley.OK, Ways: ways}, nil
}

// notices returns how the ways of notices work, nil if there is none.
func (opts *Options) notices() (ways []parley.NoticeWay) {
	for _, n := range opts.Away.notifiers() {
		ways = append(ways, n.Ways()...)
	}
	return ways
}

// startNeeds tells that somebody else started the daemon, and what it did not take from them.
func (ops *operatorService) startNeeds() []parley.Need {
	info := &ops.opts.Daemon.Info
	if len(info.Ignored) == 0 {
		return nil
	}

	system := ops.roster.Operator()
	return []parley.Need{{
		Kind: parley.NeedStart, AgentID: system.ID, Agent: system.Name, Since: info.StartedAt,
		Text: "an agent, or something that parley cannot tell from one, started the daemon; parley ignores its " +
			strings.Join(info.Ignored, ", "),
		Command: "parley down --keep-agents",
		Action:  "Start it yourself then: parley serve. The agents stay.",
	}}
}

// systemNeeds tells what parley works with and is out of order.
func (ops *operatorService) systemNeeds() (needs []parley.Need) {
	needs = slices.Clone(ops.opts.Daemon.Wrong)
	own := ops.terminals.Server().PID()
	if len(ops.opts.Tmux.Keeper) > 0 && own != 0 && !tmux.Kept(own) {
		needs = append(needs, parley.Need{
			Text: "the keeper of parley's tmux server has ended: " +
				"what loses its parent there counts as yours, not as an agent's",
			Command: "parley down",
			Action:  "When the agents can be stopped; the next command starts the server with a keeper.",
		})
	}

	if path := ops.terminals.Server().SocketPath(); own != 0 && !tmux.HasSocket(path) {
		needs = append(needs, parley.Need{
			Text:    "the socket of parley's tmux server is gone, so nobody can attach: " + plain.CleanLine(path),
			Command: "parley doctor",
			Action:  "parley has the server make it again each second. If that does not help: " + terminal.SocketAdvice,
			Since:   ops.now(),
		})
	}

	system := ops.roster.Operator()
	for i := range needs {
		n := &needs[i]
		n.Kind, n.AgentID, n.Agent = parley.NeedSystem, system.ID, system.Name
		if n.Since.IsZero() {
			n.Since = ops.opts.Daemon.Info.StartedAt
		}
	}
	return needs
}

// notifierNeeds tells of each way by which notices do not go.
func (ops *operatorService) notifierNeeds() (needs []parley.Need) {
	system := ops.roster.Operator()
	for _, w := range ops.opts.notices() {
		action := "Correct notify: in parley.yaml, or what it names, and try again."
		if w.Way == notify.Push {
			action = "Let the daemon reach the browser's push service, or turn it off in the menu of the page."
		}
		if !w.Works {
			needs = append(needs, parley.Need{
				Kind: parley.NeedNotifier, AgentID: system.ID, Agent: system.Name, Since: *w.Since,
				Text:    fmt.Sprintf("you are not notified by the %s: %s", w.Way, w.Problem),
				Command: "parley notify test",
				Action:  action,
			})
		}
	}
	return needs
}

package needs

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"parley"
	"parley/internal/notify"
	"parley/internal/wait"
	"parley/store"
)

// Notices tell the operator what needs them, wherever they are.
type Notices struct {
	*Away
	Needs *Service
	Store *store.Store
	Log   *slog.Logger
}

// TellDevices tells the devices of this host what needs the operator, until ctx ends. A device is known to one host
// only.
func (ns *Notices) TellDevices(ctx context.Context) {
	for wait.Pause(ctx, noticeEvery) == nil {
		if ns.Devices.Count() == 0 {
			continue
		}
		needs, err := ns.Needs.All(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			ns.Log.Warn("look for what needs the operator", "error", err)
			continue
		}
		needs = slices.DeleteFunc(needs, func(n parley.Need) bool { return n.Between })
		ns.Needs.Agents.addScreens(ctx, needs) // for the questions that are open
		ns.Push.Look(needs)
	}
}

// noticeEvery is the interval between two looks at what needs the operator.
const noticeEvery = 5 * time.Second

// noticeDuty is the duty to tell the operator what all hosts know: of those that can, one does.
const noticeDuty = "notices"

// Tell tells the operator what needs them, until ctx ends.
func (ns *Notices) Tell(ctx context.Context) {
	if ns.Notifier == nil {
		ns.leaveNotices(ctx)
		return
	}

	for wait.Pause(ctx, noticeEvery) == nil {
		mine, err := ns.Store.Hosts.OnDuty(ctx, noticeDuty)
		var needs []parley.Need
		if err == nil {
			needs, err = ns.Needs.All(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			ns.Log.Warn("look for what needs the operator", "error", err)
			continue
		}
		needs = slices.DeleteFunc(needs, func(n parley.Need) bool {
			row, _ := parley.NeedRowOf(n.Kind)
			return n.Between || !mine && !row.Local // the host of the agents tells of those, whoever has the duty
		})
		ns.Needs.Agents.addScreens(ctx, needs) // for the questions that are open, and their options
		ns.Notifier.Look(needs)
	}
}

// leaveNotices leaves the notices to other hosts, which tell nobody while this one has the duty.
func (ns *Notices) leaveNotices(ctx context.Context) {
	for {
		err := ns.Store.Hosts.LeaveDuty(ctx, noticeDuty)
		if err == nil {
			return
		}
		ns.Log.Warn("leave the notices to another host", "error", err)
		if wait.Pause(ctx, noticeEvery) != nil {
			return
		}
	}
}

// Away is how the operator is told of what needs them while away, and answers from there.
type Away struct {
	Notifier *notify.Notifier    // nil: none
	Push     *notify.Notifier    // tells the devices; nil: none
	Devices  *notify.Devices     // that Push tells, those of this host; nil: none
	Codes    *notify.AnswerCodes // that notices answer with; nil: none
}

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

func (ns *Notices) NotifyDevice(
	ctx context.Context, req parley.NotifyDeviceRequest,
) (*parley.NotifyDeviceResult, error) {
	devices, session := ns.Devices, parley.CallerFrom(ctx).Session
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

func (ns *Notices) SendTestNotice(
	ctx context.Context, _ parley.SendTestNoticeRequest,
) (*parley.SendTestNoticeResult, error) {
	ways := []parley.NoticeWay{}
	for _, n := range ns.notifiers() {
		ways = append(ways, n.Test(ctx)...)
	}
	if len(ways) == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "parley.yaml names no way by which notices go").
			Suggest("Give notify: a command, a webhook or a topic of ntfy there, trust the file with parley trust, " +
				"and restart the daemon: parley down --keep-agents, then any command.")
	}
	return &parley.SendTestNoticeResult{Answer: parley.OK, Ways: ways}, nil
}

// Ways returns how the ways of notices work, nil if there is none.
func (a *Away) Ways() (ways []parley.NoticeWay) {
	for _, n := range a.notifiers() {
		ways = append(ways, n.Ways()...)
	}
	return ways
}

package orchestrator

import (
	"context"
	"os"
	"path/filepath"

	"parley/orchestrator/admission"
	"parley/orchestrator/agents"
	"parley/orchestrator/answer"
	"parley/orchestrator/courier"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/pulls"
	"parley/orchestrator/relay"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/program/sessions"
	stored "parley/store/files"
)

// build builds the shared parts.
func (o *Orchestrator) build(ctx context.Context) error {
	if err := o.load(ctx); err != nil {
		return err
	}
	o.answering()
	o.watching()
	return o.typing(ctx)
}

// load builds the parts that keep something of the database in memory, and reads that.
func (o *Orchestrator) load(ctx context.Context) (err error) {
	ssh, err := relay.ParseSSH(o.opts.Settings.HostSSH)
	if err != nil {
		return err
	}
	if o.rooms.roster, err = team.Load(ctx, o.store, o.now, o.log); err != nil {
		return err
	}
	inRoot := filepath.Join(o.opts.Workspace, ".parley")
	o.rooms.roster.InvitationLife = o.opts.Settings.InvitationLife
	o.rooms.elsewhere = relay.NewElsewhere(o.store, o.rooms.roster, o.opts.Host, ssh)
	if err := o.rooms.roster.Names.Titles.Load(ctx, o.store); err != nil {
		return err
	}
	if err := o.rooms.roster.EnsureOperator(ctx, o.opts.OperatorKey); err != nil {
		return err
	}

	received := filepath.Join(inRoot, "received")
	if o.rooms.files, err = stored.Open(o.opts.State, received, o.opts.Settings.MaxFile()); err != nil {
		return err
	}
	if o.rooms.pause, err = admission.LoadPause(ctx, o.store); err != nil {
		return err
	}
	o.rooms.talk, err = talk.Load(ctx, talk.Options{
		Store: o.store, Roster: o.rooms.roster, Settings: o.opts.Settings.Conversation, Now: o.now, Log: o.log,
	})
	return err
}

// answering builds what admits messages, and has models answer.
func (o *Orchestrator) answering() {
	o.rooms.admission = admission.New(admission.Admission{
		Pause: o.rooms.pause, Store: o.store, Roster: o.rooms.roster, Talk: o.rooms.talk, Settings: &o.opts.Settings,
		Now: o.now,
	}, o.rooms.files)
	o.rooms.responders = answer.New(answer.Options{
		Store: o.store, Roster: o.rooms.roster, Admission: o.rooms.admission, Pause: o.rooms.pause, Tools: o,
		Model:    o.opts.Model,
		Declared: o.opts.Responders, Host: o.opts.Host, Timeout: o.opts.Settings.ModelTimeout,
		MaxCalls: o.opts.Settings.ModelCalls, Now: o.now, Log: o.log,
	})
	o.rooms.admission.Responders = o.rooms.responders
}

// watching builds what looks after agents' work: their files, pull requests, programs and costs.
func (o *Orchestrator) watching() {
	o.rooms.overlaps = overlap.New(overlap.Options{
		Store: o.store, Roster: o.rooms.roster, Mode: o.opts.Settings.Overlaps, Notify: o.notice,
		Now: o.now, Log: o.log,
	})
	o.rooms.pulls = pulls.New(pulls.Options{
		Roster: o.rooms.roster, Settings: &o.opts.Settings, Dir: o.opts.LaunchDir, Notify: o.notice,
		Now: o.now, Log: o.log,
	})
	env := terminal.Inherited(os.Environ())
	o.rooms.programs = trial.NewPrograms(o.rooms.roster, o.opts.Profiles, o.opts.Settings.Checks, env,
		5*o.opts.Settings.Watch, o.now, o.log)
	o.rooms.meter = meter.New(meter.Options{
		Store: o.store, Roster: o.rooms.roster, Forms: o.opts.Profiles.Transcript,
		Prices: o.opts.Costs.Prices, Team: o.opts.Costs.Team,
		Agents: o.opts.Costs.Agents, Pause: o.pauseForBudget, Edited: o.rooms.overlaps.Note, Now: o.now, Log: o.log,
	})
	o.rooms.kept = sessions.New(o.opts.kept())
}

// typing builds what types into terminals.
func (o *Orchestrator) typing(ctx context.Context) (err error) {
	o.rooms.doors = &agents.Doors{
		Dir: o.opts.LaunchDir, Checks: o.opts.Settings.Checks,
		Open: map[string]*agents.KeptDoor{}, Asked: map[string]agents.Asked{},
	}
	o.rooms.couriers = courier.New(courier.Options{
		Store: o.store.Deliveries, Roster: o.rooms.roster, Now: o.now, Log: o.log,
		ShortFooter: o.opts.Settings.ShortFooter(),
		Paused:      o.rooms.pause.Is, Spent: o.rooms.meter.Hold, Notify: o.rooms.admission.Notify,
		LeaseOver: o.store.Hosts.LeaseOver, Doors: o.rooms.doors.At, Beckon: o.beckon,
	})
	o.rooms.terminals, err = terminal.Open(ctx, terminal.Options{
		Store: o.store, Roster: o.rooms.roster, Couriers: o.rooms.couriers,
		Profiles: o.opts.Profiles, Tmux: o.opts.Tmux,
		Workspace: o.opts.Workspace, LaunchDir: o.opts.LaunchDir, Executable: o.opts.Executable, Spool: o.opts.Spool,
		Boundary: o.opts.Boundary,
		Host:     o.opts.Host, StopGrace: o.opts.Settings.StopGrace, Watch: o.opts.Settings.Watch,
		TypedAs:     o.rooms.programs.Profile,
		Does:        o.rooms.doors.Does,
		Prompt:      o.firstPrompt,
		RedrawAfter: o.opts.Settings.RedrawAfter, Keyboard: o.opts.Settings.Web.Keyboard, Now: o.now, Log: o.log,
	})
	return err
}

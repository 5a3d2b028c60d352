// Package health is the screen of the daemon and its figures.
package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// Finding is one result of an examination.
type Finding struct {
	Check  string
	Detail string
	Action string // what to do about it
	Bad    bool   // parley, or one of its agents, does not work with it
	Well   bool   // there is nothing to do
}

// Screen is the screen of the daemon and its figures, with problems first.
type Screen struct {
	Plots    plots
	meter    meter
	version  string                          // of this program; "" if it is not known
	examine  func(context.Context) []Finding // nil where nobody can
	found    []Finding
	when     time.Time // of the examination
	busy     bool      // it is under way
	database int64     // bytes; 0 while that is not known
	sizing   bool
	usage    usage
	drawn    []string // by settle
	kit.Pane
}

type (
	examinedMsg []Finding
	sizedMsg    int64 // of the database
)

// New returns the screen. examine looks at everything as the doctor does; nil if nothing can.
func New(d *room.Shared, version string, examine func(context.Context) []Finding, still bool) *Screen {
	p := plots{d, still}
	return &Screen{Plots: p, meter: newMeter(), version: version, examine: examine, usage: usage{plots: p}}
}

func (h *Screen) Title() string { return "Health" }

func (h *Screen) Badge() room.Badge {
	b := room.Badge{}
	for _, f := range h.problems() {
		if f.Bad {
			b.Grave = true
			b.Count++
		}
	}
	return b
}

func (h *Screen) Keys() []kit.Binding {
	return []kit.Binding{verb.Open.To("examine everything, as parley doctor does", h.look).Hinted("examine")}
}

// look examines tmux, the programs, the files and the database.
func (h *Screen) look() tea.Cmd {
	switch {
	case h.examine == nil:
		h.Plots.room.Tell("Not possible from here. Run parley doctor in a shell.")
		return nil
	case h.busy:
		h.Plots.room.Tell("An examination is already running.")
		return nil
	}

	h.busy = true
	h.Plots.room.Tell("Examining tmux, the programs, the files and the database…")
	examine := h.examine

	return h.Plots.room.Do.Call(func(ctx context.Context,
		_ parley.Service) tea.Msg {
		return examinedMsg(examine(ctx))
	})
}

func (h *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.FeedMsg:
		h.meter.take(msg.Events)
	case room.SettledMsg:
		return h.Plots.room.AskPast()
	case room.AgentsMsg:
		if s := h.Plots.room.Link.Status; s != nil && msg.Err == nil {
			h.meter.look(waitingIn(s))
		}
		return tea.Batch(h.size(), h.usage.ask())
	case room.PulseMsg:
		if msg.Err == nil {
			h.meter.look(waitingIn(msg.Workspace))
		}
	case room.ShownMsg:
		return tea.Batch(h.size(), h.usage.ask())
	case usageMsg:
		h.usage.take(msg)
	case sizedMsg:
		h.sizing, h.database = false, int64(msg)
	case examinedMsg:
		h.examined(msg)
	}

	return nil
}

func (h *Screen) examined(found []Finding) {
	h.busy, h.found, h.when = false, found, h.Plots.room.Now
	bad := 0
	for _, f := range found {
		if !f.Well {
			bad++
		}
	}

	result := "all is well"
	if bad > 0 {
		result = kit.Plural(bad, "finding")
	}

	h.Plots.room.Tell(fmt.Sprintf("Examined %s: %s.", kit.Plural(len(found), "thing"), result))
}

// waits reports whether a delivery in this state is still under way.
func waits(s parley.DeliveryState) bool { return !s.Settled() }

// wrong reports whether a delivery in this state ended without proof that it
// arrived.
func wrong(s parley.DeliveryState) bool { return s.Settled() && !s.Delivered() }

// only returns the counts of the states that is accepts.
func only(counts map[string]int, is func(parley.DeliveryState) bool) map[string]int {
	some := map[string]int{}
	for _, s := range parley.DeliveryStates() {
		if is(s) {
			some[string(s)] = counts[string(s)]
		}
	}
	return some
}

// waitingIn counts the deliveries that are under way.
func waitingIn(s *parley.WorkspaceStatusResult) int {
	sum := 0
	for _, n := range only(s.Deliveries, waits) {
		sum += n
	}
	return sum
}

// size reads how large the database is, with its write-ahead log.
func (h *Screen) size() tea.Cmd {
	if h.Plots.room.At != room.AtHealth || h.sizing || h.Plots.room.Link.Status == nil {
		return nil
	}

	h.sizing = true
	file := h.Plots.room.Link.Status.Database

	return func() tea.Msg {
		sum := int64(0)
		for _, name := range []string{file, file + "-wal"} {
			if info, err := os.Stat(name); err == nil {
				sum += info.Size()
			} else if !errors.Is(err, fs.ErrNotExist) {
				return sizedMsg(0)
			}
		}

		return sizedMsg(sum)
	}
}

// A queue this deep and deliveries this slow are more than a busy team has.
const (
	deepQueue = 20
	slowly    = 15 * time.Second
)

// problems returns what is wrong, the worst first: what this screen sees by itself,
// then the findings of the examination.
func (h *Screen) problems() []Finding {
	var all []Finding
	if err := h.Plots.room.Link.Lost; err != nil {
		e := parley.AsError(err)
		all = append(all, Finding{Check: "daemon", Bad: true, Detail: e.Message, Action: e.Action})
	}

	if s := h.Plots.room.Link.Status; s != nil {
		all = append(all, h.warnings(s)...)
	}

	all = append(all, h.usage.silent()...)
	for _, f := range h.found {
		if !f.Well {
			all = append(all, f)
		}
	}

	rank := map[bool]int{true: -1}
	slices.SortStableFunc(all, func(a, b Finding) int { return rank[a.Bad] - rank[b.Bad] })

	return all
}

// warnings returns the problems that the daemon's figures show.
func (h *Screen) warnings(s *parley.WorkspaceStatusResult) (all []Finding) {
	warn := func(check, detail, action string) {
		all = append(all, Finding{Check: check, Detail: detail, Action: action})
	}

	if s.Paused != nil {
		warn("messages", s.Paused.Words()+", for "+kit.Since(s.Paused.Since, h.Plots.room.Now), "p resumes them.")
	}

	if h.version != "" && s.Version != h.version {
		warn("version", fmt.Sprintf("the daemon is %s, this screen %s", s.Version, h.version),
			"parley down --keep-agents, then start it again.")
	}

	if s.TmuxVersion == "" && h.Plots.room.Link.Lost == nil {
		warn("tmux", "its version is unknown", "enter examines it.")
	}

	for _, a := range h.Plots.room.Team.List {
		if a.Queued >= deepQueue {
			warn("queue", fmt.Sprintf("%d messages wait for %s", a.Queued, a.Name), "2 shows what it is doing.")
		}
	}

	for _, state := range parley.DeliveryStates() {
		n := s.Deliveries[string(state)]
		if n == 0 || !wrong(state) {
			continue
		}

		action := "1, then /state:" + string(state) + ", lists them."
		if state == parley.DeliveryUnconfirmed {
			action = "4 lists them."
		}

		warn("deliveries", fmt.Sprintf("%d %s", n, state), action)
	}

	if times, of := h.meter.percentiles(95); of >= 20 && times[0] > slowly {
		warn("latency", "one delivery in twenty takes longer than "+kit.Brief(times[0]),
			"2 shows what messages wait for. If nothing, check whether the machine is busy.")
	}

	return all
}

func (h *Screen) About() room.Subject { return room.Subject{} }

func (h *Screen) Move(by kit.Motion) tea.Cmd {
	h.Pane.Move(by)
	return nil
}

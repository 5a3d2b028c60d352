package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// Finding is what an examination found amiss, or found well.
type Finding struct {
	Check  string
	Detail string
	Action string // what to do about it
	Bad    bool   // parley, or one of its agents, does not work with it
	Well   bool   // there is nothing to be done
}

// health is the screen of the daemon and its figures: problems first.
type health struct {
	*desk
	meter    meter
	version  string                          // of this program; "" if it is not known
	examine  func(context.Context) []Finding // nil where nobody can
	found    []Finding
	when     time.Time // of the examination
	busy     bool      // it is under way
	still    bool      // no curves
	database int64     // bytes; 0 while that is not known
	sizing   bool
	usage    *parley.UsageResult // nil while nothing is known
	summed   time.Time           // when that was asked for
	summing  bool
	drawn    []string // by settle
	top      int
	height   int
}

// examinedMsg is what an examination found, and sizedMsg how large the database is.
type (
	examinedMsg struct {
		found []Finding
	}
	sizedMsg int64
)

func newHealth(d *desk, o Options) *health {
	return &health{desk: d, meter: newMeter(), version: o.Version, examine: o.Examine, still: o.Still}
}

func (h *health) title() string { return "Health" }

func (h *health) badge() badge {
	b := badge{}
	for _, f := range h.problems() {
		if b.grave = b.grave || f.Bad; f.Bad {
			b.count++
		}
	}
	return b
}

func (h *health) keys() []binding {
	return []binding{
		{
			inHealth,
			[]string{"enter"},
			"enter",
			"examine everything, as parley doctor does",
			"examine",
			func(m *model) tea.Cmd { return m.health.look() },
			"",
		},
	}
}

// look examines tmux, the programs, the files, the database.
func (h *health) look() tea.Cmd {
	switch {
	case h.examine == nil:
		h.tell("Examining needs a shell: parley doctor")
		return nil
	case h.busy:
		h.tell("The examination is under way.")
		return nil
	}

	h.busy = true
	h.tell("Examining tmux, the programs, the files and the database…")
	examine := h.examine

	return h.do.call(func(ctx context.Context, _ parley.Service) tea.Msg {
		return examinedMsg{found: examine(ctx)}
	})
}

func (h *health) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case feedMsg:
		h.meter.take(msg.events)
	case agentsMsg:
		if s := h.link.status; s != nil && msg.err == nil {
			h.meter.look(waitingIn(s))
		}
		return tea.Batch(h.size(), h.askUsage())
	case shownMsg:
		return tea.Batch(h.size(), h.askUsage())
	case usageMsg:
		h.used(msg)
	case sizedMsg:
		h.sizing, h.database = false, int64(msg)
	case examinedMsg:
		h.busy, h.found, h.when = false, msg.found, h.now
		bad := 0
		for _, f := range msg.found {
			if !f.Well {
				bad++
			}
		}
		h.tell(fmt.Sprintf("Examined %s: %s.", plural(len(msg.found), "thing"), cmp.Or(map[int]string{0: "all is well"}[bad], plural(bad, "finding"))))
	}

	return nil
}

func waitingIn(s *parley.WorkspaceStatusResult) int {
	return s.Deliveries[string(parley.DeliveryQueued)] + s.Deliveries[string(parley.DeliveryHeld)] + s.Deliveries[string(parley.DeliveryTyping)]
}

// size looks how large the database is, with what is not merged into it yet.
func (h *health) size() tea.Cmd {
	if h.at != atHealth || h.sizing || h.link.status == nil {
		return nil
	}

	h.sizing = true
	file := h.link.status.Database

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

// What is worth a word: a queue of so many, and deliveries that take so long,
// are more than a busy team has.
const (
	deepQueue = 20
	slowly    = 15 * time.Second
)

// problems are what is amiss, the worst first: what this screen sees by itself,
// then what the examination found.
func (h *health) problems() []Finding {
	var all []Finding
	if err := h.link.lost; err != nil {
		e := parley.AsError(err)
		all = append(all, Finding{Check: "daemon", Bad: true, Detail: e.Message, Action: e.Action})
	}

	if s := h.link.status; s != nil {
		all = append(all, h.amiss(s)...)
	}

	all = append(all, h.silent()...)
	for _, f := range h.found {
		if !f.Well {
			all = append(all, f)
		}
	}

	slices.SortStableFunc(all, func(a, b Finding) int {
		rank := map[bool]int{true: 0, false: 1}
		return rank[a.Bad] - rank[b.Bad]
	})

	return all
}

func (h *health) amiss(s *parley.WorkspaceStatusResult) (all []Finding) {
	warn := func(check, detail, action string) {
		all = append(all, Finding{Check: check, Detail: detail, Action: action})
	}

	if s.Paused != nil {
		warn("messages", s.Paused.Words()+", for "+since(s.Paused.Since, h.now), "p lets them go on.")
	}

	if h.version != "" && s.Version != h.version {
		warn(
			"version",
			fmt.Sprintf("the daemon is %s, this screen %s", s.Version, h.version),
			"parley down --keep-agents, then start it again.",
		)
	}

	if s.TmuxVersion == "" && h.link.lost == nil {
		warn("tmux", "nothing is known of tmux", "enter examines it.")
	}

	for _, a := range h.team.list {
		if a.Queued >= deepQueue {
			warn("queue", fmt.Sprintf("%d messages wait for %s", a.Queued, a.Name), "2 shows what it does.")
		}
	}

	for _, state := range []parley.DeliveryState{parley.DeliveryFailed, parley.DeliveryUnconfirmed, parley.DeliveryExpired} {
		if n := s.Deliveries[string(state)]; n > 0 {
			warn(
				"deliveries",
				fmt.Sprintf("%d %s", n, state),
				map[bool]string{true: "4 shows them.", false: "1 and / finds them: " + string(state) + "."}[state == parley.DeliveryUnconfirmed],
			)
		}
	}

	if times, of := h.meter.percentiles(95); of >= 20 && times[0] > slowly {
		warn("latency", "one delivery of twenty takes longer than "+brief(times[0]), "See whether the machine is busy.")
	}

	return all
}

func (h *health) about() subject { return subject{} }

func (h *health) move(by motion) tea.Cmd {
	h.top += by.lines(h.height)
	return nil
}

// tally writes counts by name, the most first.
func tally(in map[string]int) string {
	var names []string
	for name, n := range in {
		if n > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(in[b]-in[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", in[name], name)
	}
	return strings.Join(names, " · ")
}

package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/room"
)

const (
	usageCalls = 100              // calls to models that the curve covers
	usageEvery = 10 * time.Second // between two requests: each sums up all calls
)

// usage is what models and programs have cost.
type usage struct {
	plots  plots
	result *parley.UsageResult // nil while it is not known
	asked  time.Time
	asking bool
}

// usageMsg is what the models' answers cost.
type usageMsg struct {
	result *parley.UsageResult
	err    error
}

// ask reads the usage while the screen is shown.
func (u *usage) ask() tea.Cmd {
	if u.plots.room.At != room.AtHealth || u.asking || u.plots.room.Link.Lost != nil ||
		u.plots.room.Now.Sub(u.asked) < usageEvery {
		return nil
	}
	u.asking, u.asked = true, u.plots.room.Now
	return u.plots.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.Usage.Call(ctx, s, parley.UsageRequest{Calls: usageCalls})
		return usageMsg{result: res, err: err}
	})
}

// take takes the answer. After an error the last one stays.
func (u *usage) take(msg usageMsg) {
	if u.asking = false; msg.err == nil {
		u.result = msg.result
	}
}

// models draws what the responders' answers cost, the busiest first.
func (u *usage) models(w int) []string {
	if u.result == nil {
		return nil
	}
	if len(u.result.Agents) == 0 {
		return u.programs(w)
	}

	lines := []string{u.plots.room.Theme.Rule("Models", kit.Plural(u.result.Total.Calls, "call"), w, false)}
	var took []int
	for _, c := range slices.Backward(u.result.Calls) {
		took = append(took, c.InputTokens+c.OutputTokens)
	}

	total := u.result.Total
	tokens := plain.FormatCount(total.InputTokens) + " in, " + plain.FormatCount(total.OutputTokens) + " out"
	lines = append(lines, u.plots.figure("tokens", tokens, took, w))

	byCalls := func(a, b parley.AgentUsage) int { return b.Calls - a.Calls }
	agents := slices.SortedStableFunc(slices.Values(u.result.Agents), byCalls)

	for _, a := range agents[:min(len(agents), maxQueues)] {
		words := fmt.Sprintf("%d answered", a.Answered)
		if a.Failed > 0 {
			words += fmt.Sprintf(", %d failed (%s)", a.Failed, kit.CodeWords(kit.Tally(a.Failures)))
		}

		words += " · " + plain.FormatCount(a.InputTokens) + " in, " + plain.FormatCount(a.OutputTokens) + " out"
		if a.Calls > 0 {
			words += " · " + kit.Brief(time.Duration(a.LatencyMS/int64(a.Calls))*time.Millisecond) + " each"
		}

		words += " · last " + kit.Since(a.LastCall, u.plots.room.Now) + " ago"
		lines = append(lines, u.plots.figure(kit.SafeLine(a.Agent), words, nil, w))
	}

	return append(append(lines, ""), u.programs(w)...)
}

// programs draws what the programs of agents have used today, the most first. One of which it is not
// known is only there if it has a profile that tells.
func (u *usage) programs(w int) []string {
	byTokens := func(a, b parley.ProgramUsage) int { return cmp.Compare(b.Today.Total(), a.Today.Total()) }
	var used []parley.ProgramUsage
	var all parley.Tokens
	for _, p := range slices.SortedStableFunc(slices.Values(u.result.Programs), byTokens) {
		if p.Today.Total() > 0 || p.Unknown != "" && p.Unknown != parley.UsageNoReader {
			used, all = append(used, p), all.Plus(p.Today.Tokens)
		}
	}
	if used == nil {
		return nil
	}

	lines := []string{u.plots.room.Theme.Rule("Tokens today", plain.FormatCount(all.Total()), w, false)}
	for _, p := range used[:min(len(used), maxQueues)] {
		t := p.Today
		words := p.Unknown.Words()
		if t.Total() > 0 {
			words = plain.FormatCount(t.Input+t.Cached+t.CacheWrite) + " in, " + plain.FormatCount(t.Output) + " out"
			if t.Cost > 0 {
				words += " · " + plain.FormatCost(t.Cost)
			}
			if p.Unknown != "" {
				words += " · " + p.Unknown.Words()
			}
		}
		if p.Budget != nil {
			words += " · " + p.Budget.Words()
		}
		lines = append(lines, u.plots.figure(kit.SafeLine(p.Agent), words, nil, w))
	}

	if b := u.result.Budget; b != nil {
		lines = append(lines, u.plots.figure("the team", b.Words(), nil, w))
	}

	return append(lines, "")
}

// silent returns the responders whose last call got no answer.
func (u *usage) silent() (all []Finding) {
	if u.result == nil {
		return nil
	}

	seen := map[string]bool{}
	for _, c := range u.result.Calls { // the newest first
		if !seen[c.AgentID] && c.Reason != "" {
			all = append(all, Finding{
				Check:  "models",
				Detail: fmt.Sprintf("%s does not answer %s: %s", c.Agent, c.Caller, kit.CodeWords(c.Reason)),
				Action: "parley usage " + c.Agent + " shows its calls.",
			})
		}

		seen[c.AgentID] = true
	}

	return all
}

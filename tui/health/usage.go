package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

const (
	usageCalls = 100              // calls to models that the curve covers
	usageEvery = 10 * time.Second // between two requests: each sums up all calls
)

// usageMsg is what the models' answers cost.
type usageMsg struct {
	result *parley.UsageResult
	err    error
}

// askUsage asks for the usage while the screen is shown.
func (h *Screen) askUsage() tea.Cmd {
	if h.At != room.AtHealth || h.summing || h.Link.Lost != nil || h.Now.Sub(h.summed) < usageEvery {
		return nil
	}
	h.summing, h.summed = true, h.Now
	return h.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.Usage(ctx, parley.UsageRequest{Calls: usageCalls})
		return usageMsg{result: res, err: err}
	})
}

// takeUsage takes the answer. After an error the last one stays.
func (h *Screen) takeUsage(msg usageMsg) {
	if h.summing = false; msg.err == nil {
		h.usage = msg.result
	}
}

// models draws what the responders' answers cost, the busiest first.
func (h *Screen) models(w int) []string {
	if h.usage == nil {
		return nil
	}
	if len(h.usage.Agents) == 0 {
		return h.programs(w)
	}

	lines := []string{h.Theme.Rule("Models", kit.Plural(h.usage.Total.Calls, "call"), w, false)}
	var took []int
	for _, c := range slices.Backward(h.usage.Calls) {
		took = append(took, c.InputTokens+c.OutputTokens)
	}

	total := h.usage.Total
	tokens := parley.FormatCount(total.InputTokens) + " in, " + parley.FormatCount(total.OutputTokens) + " out"
	lines = append(lines, h.figure("tokens", tokens, took, w))

	byCalls := func(a, b parley.AgentUsage) int { return b.Calls - a.Calls }
	agents := slices.SortedStableFunc(slices.Values(h.usage.Agents), byCalls)

	for _, a := range agents[:min(len(agents), maxQueues)] {
		words := fmt.Sprintf("%d answered", a.Answered)
		if a.Failed > 0 {
			words += fmt.Sprintf(", %d failed (%s)", a.Failed, kit.CodeWords(kit.Tally(a.Failures)))
		}

		words += " · " + parley.FormatCount(a.InputTokens) + " in, " + parley.FormatCount(a.OutputTokens) + " out"
		if a.Calls > 0 {
			words += " · " + kit.Brief(time.Duration(a.LatencyMS/int64(a.Calls))*time.Millisecond) + " each"
		}

		words += " · last " + kit.Since(a.LastCall, h.Now) + " ago"
		lines = append(lines, h.figure(kit.SafeLine(a.Agent), words, nil, w))
	}

	return append(append(lines, ""), h.programs(w)...)
}

// programs draws what the programs of agents have used today, the most first. One of which it is not
// known is only there if it has a profile that tells.
func (h *Screen) programs(w int) []string {
	byTokens := func(a, b parley.ProgramUsage) int { return cmp.Compare(b.Today.Total(), a.Today.Total()) }
	var used []parley.ProgramUsage
	var all parley.Tokens
	for _, p := range slices.SortedStableFunc(slices.Values(h.usage.Programs), byTokens) {
		if p.Today.Total() > 0 || p.Unknown != "" && p.Unknown != parley.UsageNoReader {
			used, all = append(used, p), all.Plus(p.Today.Tokens)
		}
	}
	if used == nil {
		return nil
	}

	lines := []string{h.Theme.Rule("Tokens today", parley.FormatCount(all.Total()), w, false)}
	for _, p := range used[:min(len(used), maxQueues)] {
		t := p.Today
		words := p.Unknown.Words()
		if t.Total() > 0 {
			words = parley.FormatCount(t.Input+t.Cached+t.CacheWrite) + " in, " + parley.FormatCount(t.Output) + " out"
			if t.Cost > 0 {
				words += " · " + parley.FormatCost(t.Cost)
			}
			if p.Unknown != "" {
				words += " · " + p.Unknown.Words()
			}
		}
		if p.Budget != nil {
			words += " · " + p.Budget.Words()
		}
		lines = append(lines, h.figure(kit.SafeLine(p.Agent), words, nil, w))
	}

	if b := h.usage.Budget; b != nil {
		lines = append(lines, h.figure("the team", b.Words(), nil, w))
	}

	return append(lines, "")
}

// silentModels returns the responders whose last call got no answer.
func (h *Screen) silentModels() (all []Finding) {
	if h.usage == nil {
		return nil
	}

	seen := map[string]bool{}
	for _, c := range h.usage.Calls { // the newest first
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

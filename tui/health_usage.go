package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	usageCalls = 100              // calls to models that the curve is of
	usageEvery = 10 * time.Second // it is summed up anew each time
)

// usageMsg is what the models' answers took.
type usageMsg struct {
	result *parley.UsageResult
	err    error
}

// askUsage asks for it while the screen is looked at.
func (h *health) askUsage() tea.Cmd {
	if h.at != atHealth || h.summing || h.link.lost != nil || h.now.Sub(h.summed) < usageEvery {
		return nil
	}
	h.summing, h.summed = true, h.now
	return h.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.Usage(ctx, parley.UsageRequest{Calls: usageCalls})
		return usageMsg{result: res, err: err}
	})
}

// used takes the answer; without one the section is left out.
func (h *health) used(msg usageMsg) {
	if h.summing = false; msg.err == nil {
		h.usage = msg.result
	}
}

// models are what the responders' answers took, the busiest first.
func (h *health) models(w int) []string {
	if h.usage == nil || len(h.usage.Agents) == 0 {
		return nil
	}

	lines := []string{h.theme.rule("Models", plural(h.usage.Total.Calls, "call"), w, false)}
	var took []int
	for _, c := range slices.Backward(h.usage.Calls) {
		took = append(took, c.InputTokens+c.OutputTokens)
	}

	total := h.usage.Total
	lines = append(
		lines,
		h.figure("tokens", countWords(total.InputTokens)+" in, "+countWords(total.OutputTokens)+" out", took, w),
	)

	agents := slices.SortedStableFunc(
		slices.Values(h.usage.Agents),
		func(a, b parley.AgentUsage) int { return b.Calls - a.Calls },
	)

	for _, a := range agents[:min(len(agents), maxQueues)] {
		words := fmt.Sprintf("%d answered", a.Answered)
		if a.Failed > 0 {
			words += fmt.Sprintf(", %d failed (%s)", a.Failed, tally(a.Failures))
		}

		words += " · " + countWords(a.InputTokens) + " in, " + countWords(a.OutputTokens) + " out"
		if a.Calls > 0 {
			words += " · " + brief(time.Duration(a.LatencyMS/int64(a.Calls))*time.Millisecond) + " each"
		}

		lines = append(lines, h.figure(safeLine(a.Agent), words+" · last "+since(a.LastCall, h.now)+" ago", nil, w))
	}

	return append(lines, "")
}

// silent are the responders whose last call got no answer.
func (h *health) silent() (all []Finding) {
	if h.usage == nil {
		return nil
	}

	seen := map[string]bool{}
	for _, c := range h.usage.Calls { // the newest first
		if !seen[c.AgentID] && c.Reason != "" {
			all = append(
				all,
				Finding{Check: "models", Detail: fmt.Sprintf("%s does not answer %s: %s", c.Agent, c.Caller, c.Reason),
					Action: "parley usage " + c.Agent + " shows its calls."},
			)
		}

		seen[c.AgentID] = true
	}

	return all
}

// countWords is a large number as one says it.
func countWords(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

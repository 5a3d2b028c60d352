package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// heatMsg is how a thread goes, for parley's own judgement.
type heatMsg struct {
	id     string
	result *parley.ConversationStateResult
	err    error
}

// askHeat asks how the thread under the marker goes, one question at a time.
func (t *threads) askHeat() tea.Cmd {
	if t.at != atThreads || t.talk.id == "" || t.talk.feeling || t.link.lost != nil {
		return nil
	}
	t.talk.feeling = true
	id := t.talk.id
	return t.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetConversationState(ctx, parley.ConversationStateRequest{ThreadID: id})
		return heatMsg{id: id, result: res, err: err}
	})
}

// felt takes the answer; without one the thread is shown all the same.
func (t *threads) felt(msg heatMsg) {
	t.talk.feeling = false
	if msg.id == t.talk.id {
		if t.talk.heat = msg.result; msg.err != nil {
			t.talk.heat = nil
		}
	}
}

const gaugeColumns = 10

// gauge draws a temperature from 0 to 1.
func gauge(temperature float64) string {
	full := clamp(int(temperature*gaugeColumns+0.5), 0, gaugeColumns)
	return strings.Repeat("█", full) + strings.Repeat("░", gaugeColumns-full)
}

// heatLines say how hot the thread is, what is held of it, and what the last
// decision was made of, as far as there is room.
func (t *threads) heatLines(w int) []string {
	h := t.talk.heat
	if h == nil {
		return nil
	}

	style := t.theme.good
	switch h.State {
	case "hot":
		style = t.theme.bad
	case "warming", "cooling":
		style = t.theme.warn
	case "cold", "concluded":
		style = t.theme.dim
	}

	words := []string{style.Render(fmt.Sprintf("%s %s %.2f", safeLine(h.State), gauge(h.Temperature), h.Temperature))}
	if h.Conversation.Muted {
		words = append(words, t.theme.alarm.Render(" muted, M ends it "))
	}
	if until := h.Conversation.CooledUntil; until != nil && until.After(t.now) {
		words = append(words, t.theme.warn.Render("cools until "+clockOf(*until, t.now, 6)+" or a person's word"))
	}
	if n := len(h.Held); n > 0 {
		words = append(words, t.theme.warn.Render(fmt.Sprintf("‖ %d held, R lets them go on", n)))
	}

	words = append(words, t.theme.dim.Render(fmt.Sprintf("%d in five minutes", h.Counts.FiveMinutes)))
	lines := []string{"  " + columns(words, t.theme.dim.Render(" · "), w-2)}
	for i := range h.Held {
		if i == 2 || t.tier == narrow {
			break
		}

		x := &h.Held[i]
		lines = append(
			lines,
			"  "+t.theme.warn.Render(
				fit(
					fmt.Sprintf("‖ %s → %s: %s", shownName(x.Sender, ""), shownName(x.Recipient, ""), safeLine(x.Text)),
					w-2,
				),
			),
		)
	}

	if t.tier == narrow {
		return lines
	}

	for _, text := range t.decisions(h) {
		lines = append(lines, "  "+t.theme.dim.Render(fit(text, w-2)))
	}

	return lines
}

// decisions say who is to answer what was said last, and by which factors the
// first of them is.
func (t *threads) decisions(h *parley.ConversationStateResult) []string {
	var yes, no []string
	var first *parley.ConversationDecision
	for i := range h.Decisions {
		d := &h.Decisions[i]
		words := fmt.Sprintf("%s (%s %.2f)", shownName(d.Agent, d.AgentID), safeLine(d.Reason), d.Confidence)
		if d.ShouldRespond {
			yes = append(yes, words)
		} else {
			no = append(no, words)
		}

		if first == nil || d.ShouldRespond && !first.ShouldRespond {
			first = d
		}
	}

	if first == nil {
		return nil
	}

	lines := []string{"nobody is to answer: " + strings.Join(no, ", ")}
	if len(yes) > 0 {
		lines[0] = "to answer: " + strings.Join(yes, ", ")
		if len(no) > 0 {
			lines[0] += " · not: " + strings.Join(no, ", ")
		}
	}

	if f := first.Factors; f != nil {
		words := shownName(first.Agent, first.AgentID) + ": "
		for _, x := range []struct {
			is   bool
			word string
		}{{f.MentionedByAI, "mentioned"}, {f.DirectQuestion, "asked directly"}, {f.HumanPresence, "a person is there"}, {f.ConclusionSignals, "concluding"}} {
			if x.is {
				words += x.word + " · "
			}
		}

		words += fmt.Sprintf("turn %.2f · relevance %.2f · took part %.2f · temperature %.2f",
			f.MyTurnProbability, f.RelevanceScore, f.RecentParticipation, f.ConversationTemperature)
		lines = append(lines, words)
	}

	return lines
}

// controlThread does something to the thread under the marker.
func (m *model) controlThread(action parley.ConversationAction) tea.Cmd {
	return m.withThread(func(x *parley.Thread) tea.Cmd {
		r := parley.ControlConversationRequest{Action: action, ThreadID: x.ID}
		if action != parley.ActionMute {
			return m.control(r, nil)
		}
		back := parley.ControlConversationRequest{Action: parley.ActionUnmute, ThreadID: x.ID}
		if h := m.threads.talk.heat; h != nil && h.Conversation.Muted {
			r, back = back, r
		}
		return m.control(r, &back)
	})
}

func controlling(action parley.ConversationAction) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return m.controlThread(action) }
}

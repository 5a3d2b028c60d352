package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"parley/orchestrator/answer"
	"slices"
	"strings"
	"time"

	"parley"
)

// ExplainMessage implements parley.OperatorService.
func (o *Orchestrator) ExplainMessage(
	ctx context.Context,
	req parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	msg, deliveries, err := o.store.Message(ctx, req.MessageID)
	if err != nil {
		return nil, err
	}
	for _, m := range o.responders.Unanswered(&msg, deliveries) {
		i := slices.IndexFunc(deliveries, func(d parley.Delivery) bool { return d.RecipientID == m.ID })
		if deliveries[i].Reason == "" && !o.responders.IsAnswering(&msg, m) {
			deliveries[i].Reason, deliveries[i].ReasonCode = answer.NotAsked, parley.EndedNoAnswer
		}
	}
	res := explain(o.roster.FillIn(&msg), o.roster.FillInDeliveries(deliveries), o.now(), time.Local)
	return &res, nil
}

// explain tells a message's story: who said what to whom, and for each recipient
// every rung, what holds now, and what to do.
func explain(
	msg *parley.Message,
	ds []parley.Delivery,
	now time.Time,
	zone *time.Location,
) parley.ExplainMessageResult {
	res := parley.ExplainMessageResult{
		Answer:     parley.OK,
		MessageID:  msg.ID,
		Object:     msg,
		Summary:    summary(msg, ds, now, zone),
		Deliveries: []parley.DeliveryStory{},
	}

	res.Story = []string{res.Summary, "“" + parley.Truncate(parley.CleanLine(msg.Text), parley.PreviewLength) + "”"}
	for i := range ds {
		s := storyOf(msg, &ds[i])
		res.Deliveries = append(res.Deliveries, s)
		res.Story = append(res.Story, "", fmt.Sprintf("%s: %s", s.Agent, s.State))
		for _, r := range s.Rungs {
			res.Story = append(res.Story, fmt.Sprintf("  after %s: %s", lasting(r.At.Sub(msg.Timestamp)), r.Text))
		}

		for _, line := range s.Outlook {
			res.Story = append(res.Story, "  → "+line)
		}
	}

	return res
}

// summary is who sent what to whom, and when.
func summary(msg *parley.Message, ds []parley.Delivery, now time.Time, zone *time.Location) string {
	var names []string
	for _, d := range ds {
		names = append(names, d.Recipient)
	}

	to := strings.Join(names, ", ")
	if len(names) == 0 {
		to = "nobody: there was no other agent"
	}

	what := string(msg.Kind) + " message"
	if msg.Type == parley.TypeRequest || msg.Type == parley.TypeResponse {
		what = string(msg.Kind) + " " + string(msg.Type)
	}
	if msg.Priority != parley.PriorityNormal {
		what = string(msg.Priority) + " " + what
	}

	return fmt.Sprintf(
		"%s sent %s (%s) to %s at %s, %s ago.",
		cmp.Or(msg.Sender, parley.Short(msg.SenderID)),
		a(what),
		parley.Short(msg.ID),
		to,
		msg.Timestamp.In(zone).Format("15:04:05 on 2 January 2006"),
		lasting(now.Sub(msg.Timestamp)),
	)
}

func storyOf(msg *parley.Message, d *parley.Delivery) parley.DeliveryStory {
	s := parley.DeliveryStory{AgentID: d.RecipientID, Agent: d.Recipient, State: d.State, Rungs: []parley.RungStory{}}
	for i, step := range d.Steps {
		s.Rungs = append(s.Rungs, parley.RungStory{State: step.State, At: step.At,
			Seconds: max(0, step.At.Sub(msg.Timestamp).Seconds()), Text: rungText(step, i == 0)})
	}
	s.Outlook = outlook(d, parley.Short(msg.ID))
	return s
}

// rungText says in a sentence what happened and how that is known.
func rungText(step parley.Step, first bool) string {
	how := step.Evidence
	switch step.State {
	case parley.DeliveryQueued:
		if first {
			return "It was stored and waited for its turn."
		}
		return sentence("It was queued again", how)
	case parley.DeliveryHeld:
		return sentence("It was held back", how)
	case parley.DeliveryTyping:
		if how == "" {
			return "parley began to type it."
		}
		return sentence("It was still being typed", how)
	case parley.DeliverySubmitted:
		if step.Code == parley.EndedNoAnswer {
			return sentence("There was no answer", how)
		}
		return sentence("It was delivered", how)
	case parley.DeliveryRead:
		return sentence("It counts as read", how)
	case parley.DeliveryAnswered:
		return sentence("It was answered", how)
	case parley.DeliveryUnconfirmed:
		return sentence("What came of the typing could not be proven", how)
	case parley.DeliveryFailed, parley.DeliveryExpired:
		return sentence("It was given up", how)
	}

	return sentence("It came to "+string(step.State), how)
}

// sentence puts what is known behind what happened.
func sentence(what, how string) string {
	if how = strings.TrimSuffix(strings.TrimSpace(how), "."); how == "" {
		return what + "."
	}
	return what + ": " + how + "."
}

// outlook is what holds for a delivery now, what would let it go on, and what a
// person can do.
func outlook(d *parley.Delivery, id string) []string {
	name := d.Recipient
	retry := fmt.Sprintf("parley retry %s --to %s types it again; nothing else does.", id, name)
	switch d.State {
	case parley.DeliveryRead:
		if d.Decision != nil && !d.Decision.ShouldRespond {
			return []string{fmt.Sprintf("%s has it and stays silent. A mention (@%s) calls upon it.", name, name)}
		}
		return []string{fmt.Sprintf("%s has it. Nothing is left to do.", name)}
	case parley.DeliveryAnswered:
		return []string{fmt.Sprintf("%s has answered it. Nothing is left to do.", name)}
	case parley.DeliverySubmitted:
		if d.ReasonCode == parley.EndedNoAnswer {
			return []string{
				fmt.Sprintf("%s has it, and its model gave no answer.", name),
				fmt.Sprintf("parley retry %s --to %s asks the model again; nothing else does.", id, name),
			}
		}

		if d.Decision != nil {
			return []string{
				fmt.Sprintf(
					"%s has it, and its model is asked. If the daemon ended meanwhile: parley retry %s --to %s.",
					name,
					id,
					name,
				),
			}
		}

		return []string{fmt.Sprintf("%s has it. That it has read all of it is not proven.", name)}
	case parley.DeliveryQueued:
		return []string{
			fmt.Sprintf("It waits for its turn: what is urgent and what came earlier goes to %s first.", name),
		}
	case parley.DeliveryTyping:
		return []string{sentence("It is in hand right now", d.Reason)}
	case parley.DeliveryHeld:
		if d.Hold != nil {
			what := "terminal"
			if d.Decision != nil {
				what = "model"
			}

			return []string{
				sentence("The conversation protocol holds it", d.Reason),
				fmt.Sprintf(
					"%s has it in its inbox; only its %s is spared. parley conversation release %s lets it go on.",
					name,
					what,
					id,
				),
			}
		}

		return []string{sentence("It waits", d.Reason), release(d.Reason, name)}
	case parley.DeliveryFailed:
		return []string{
			"It was not delivered.",
			fmt.Sprintf("Start %s again (parley restart %s), then: %s", name, name, retry),
		}
	case parley.DeliveryExpired:
		return []string{"It waited longer than the setting expire_after allows.", retry}
	case parley.DeliveryUnconfirmed:
		return []string{sentence("What is known", d.Reason), suspicion(d.Reason, name),
			fmt.Sprintf(
				"Look at its screen: parley screen %s, or parley attach %s. If the text arrived, leave it. If it did not: %s",
				name,
				name,
				retry,
			)}
	}

	return []string{}
}

// suspicion is what may have become of a text that was typed without proof.
func suspicion(reason, name string) string {
	if strings.Contains(reason, "Enter was not pressed") {
		return fmt.Sprintf("The text may stand unsent in %s's composer, or be gone.", name)
	}
	return fmt.Sprintf("%s may have got it, or its program may have dropped it.", name)
}

// releases say what lets a held message go, by what its reason speaks of.
var releases = []struct{ about, then string }{
	{"communication is paused", "It goes when messages go on: parley resume."},
	{"parley restart", "It goes when %[1]s runs again: parley restart %[1]s."},
	{
		"started again in its pane",
		"It goes when %[1]s's program runs in its pane again, or in another: parley adopt %[1]s --pane ID.",
	},
	{"dialog", "It goes when the dialog is answered: parley attach %s. parley never answers one."},
	{"draft", "It goes when the draft is sent or cleared: parley attach %s. parley leaves it alone."},
	{"unsent message", "It goes when that text is sent or cleared: parley attach %s."},
	{"copy mode", "It goes when copy mode is left (q): parley attach %s."},
	{"shell", "It goes when %[1]s's own program has the terminal again: parley attach %[1]s, or parley restart %[1]s."},
	{"take the text for keys", "It goes when that program is left: parley attach %s."},
	{"takes no input", "It goes when the pane takes input again: parley attach %s."},
}

func release(reason, name string) string {
	for _, r := range releases {
		if !strings.Contains(reason, r.about) {
			continue
		}
		if strings.Contains(r.then, "%") {
			return fmt.Sprintf(r.then, name)
		}

		return r.then
	}

	return fmt.Sprintf(
		"It goes by itself when that has passed; parley keeps looking. parley screen %s shows what it sees.",
		name,
	)
}

// a puts the article before a word.
func a(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// lasting is a duration as a person says it.
func lasting(d time.Duration) string {
	switch d = max(0, d); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

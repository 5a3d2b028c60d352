package needs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/plain"
)

func (ops *Service) ExplainMessage(
	ctx context.Context, req parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	msg, deliveries, err := ops.Store.Messages.Message(ctx, req.MessageID)
	if err != nil {
		return nil, err
	}
	for _, m := range ops.Responders.Unanswered(&msg, deliveries) {
		i := slices.IndexFunc(deliveries, func(d parley.Delivery) bool { return d.RecipientID == m.ID })
		if deliveries[i].Reason == "" && !ops.Responders.IsAnswering(&msg, m) {
			deliveries[i].Reason, deliveries[i].ReasonCode = answer.NotAsked, parley.EndedNoAnswer
		}
	}

	if err := ops.Admission.ExplainWaiting(ctx, msg.ID, deliveries); err != nil {
		return nil, err
	}

	agentOf := func(d *parley.Delivery) parley.Agent {
		if m := ops.Roster.ByID(d.RecipientID); m != nil {
			return m.Agent()
		}
		return parley.Agent{Name: d.Recipient}
	}
	res := explain(ops.Roster.Names.FillIn(&msg), ops.Roster.Names.FillInDeliveries(deliveries), agentOf, ops.Now(),
		time.Local)

	return &res, nil
}

// explain tells the story of a message: its sender and recipients and, for each recipient,
// every step of the delivery, its state now and what to do.
func explain(
	msg *parley.Message,
	ds []parley.Delivery,
	agentOf func(*parley.Delivery) parley.Agent,
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

	res.Story = []string{res.Summary, "“" + plain.Truncate(plain.CleanLine(msg.Text), parley.PreviewLength) + "”"}
	for i := range ds {
		s := storyOf(msg, &ds[i], agentOf(&ds[i]))
		res.Deliveries = append(res.Deliveries, s)
		res.Story = append(res.Story, "", fmt.Sprintf("%s: %s", s.Agent, s.State))
		for _, r := range s.Rungs {
			after := plain.FormatDuration(r.At.Sub(msg.Timestamp))
			res.Story = append(res.Story, fmt.Sprintf("  after %s: %s", after, r.Text))
		}

		for _, line := range s.Outlook {
			res.Story = append(res.Story, "  → "+line)
		}
	}

	return res
}

// summary says who sent what to whom, and when.
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

	return fmt.Sprintf("%s sent %s (%s) to %s at %s, %s ago.", cmp.Or(msg.Sender, parley.Short(msg.SenderID)),
		withArticle(what), parley.Short(msg.ID), to, msg.Timestamp.In(zone).Format("15:04:05 on 2 January 2006"),
		plain.FormatDuration(now.Sub(msg.Timestamp)))
}

func storyOf(msg *parley.Message, d *parley.Delivery, agent parley.Agent) parley.DeliveryStory {
	s := parley.DeliveryStory{AgentID: d.RecipientID, Agent: d.Recipient, State: d.State, Rungs: []parley.RungStory{}}
	for i, step := range d.Steps {
		s.Rungs = append(s.Rungs, parley.RungStory{State: step.State, At: step.At,
			Seconds: max(0, step.At.Sub(msg.Timestamp).Seconds()), Text: rungText(step, i == 0)})
	}
	s.Outlook = outlook(d, agent, parley.Short(msg.ID))
	return s
}

// rungText says in a sentence what happened in a step, and how that is known.
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
		switch step.Code {
		case parley.EndedRefused:
			return sentence("It was "+how, "")
		case parley.EndedNative:
			return sentence("It was not parley's to deliver", how)
		}
		return sentence("What came of the typing could not be proven", how)
	case parley.DeliveryFailed, parley.DeliveryExpired:
		return sentence("It was given up", how)
	}

	return sentence("It came to "+string(step.State), how)
}

// sentence joins an event and its evidence.
func sentence(what, how string) string {
	if how = strings.TrimSuffix(strings.TrimSpace(how), "."); how == "" {
		return what + "."
	}
	return what + ": " + how + "."
}

// outlook says what state a delivery is in, what would let it go on, and what a person can do.
func outlook(d *parley.Delivery, agent parley.Agent, id string) []string {
	name := d.Recipient
	retry := fmt.Sprintf("parley retry %s --to %s types it again; nothing else does.", id, name)
	switch d.State {
	case parley.DeliveryRead:
		if d.Decision != nil && !d.Decision.ShouldRespond {
			return []string{fmt.Sprintf("%s has it and stays silent. Mention it (@%s) to get an answer.", name, name)}
		}
		return []string{fmt.Sprintf("%s has it. Nothing is left to do.", name)}
	case parley.DeliveryAnswered:
		return []string{fmt.Sprintf("%s has answered it. Nothing is left to do.", name)}
	case parley.DeliverySubmitted:
		return submittedOutlook(d, id)
	case parley.DeliveryQueued:
		return queuedOutlook(d, agent)
	case parley.DeliveryTyping:
		return []string{sentence("It is in hand right now", d.Reason)}
	case parley.DeliveryHeld:
		return heldOutlook(d, agent, id)
	case parley.DeliveryFailed:
		return []string{
			"It was not delivered.",
			fmt.Sprintf("Start %s again (parley restart %s), then: %s", name, name, retry),
		}
	case parley.DeliveryExpired:
		return []string{"It waited longer than the setting expire_after allows.", retry}
	case parley.DeliveryUnconfirmed:
		switch d.ReasonCode {
		case parley.EndedNative:
			return []string{fmt.Sprintf("parley does not type it: %s fetches it from its inbox, or has it from that "+
				"program. If neither: send it as a new message.", name)}
		case parley.EndedRefused:
			return []string{
				sentence("It was "+d.Reason, ""),
				fmt.Sprintf("No model has it. See what %s's screen asks for: parley attach %s. Then: %s",
					name, name, retry),
			}
		}
		return []string{sentence("What is known", d.Reason), d.ReasonCode.Doubt(name),
			fmt.Sprintf(
				"Look at its screen: parley screen %s, or parley attach %s. "+
					"If the text arrived, leave it. If it did not: %s",
				name, name, retry,
			)}
	}

	return []string{}
}

func queuedOutlook(d *parley.Delivery, agent parley.Agent) []string {
	switch {
	case d.WaitsFor == "":
		return []string{fmt.Sprintf(
			"It waits for its turn: what is urgent and what came earlier goes to %s first.", d.Recipient)}
	case d.WaitsCode == "":
		return []string{sentence("It waits", d.WaitsFor)}
	}
	return []string{sentence("It waits", d.WaitsFor), d.WaitsCode.Release(agent)}
}

func submittedOutlook(d *parley.Delivery, id string) []string {
	name := d.Recipient
	if d.ReasonCode == parley.EndedNoAnswer {
		return []string{
			fmt.Sprintf("%s has it, and its model gave no answer.", name),
			fmt.Sprintf("parley retry %s --to %s asks the model again; nothing else does.", id, name),
		}
	}

	if d.Decision != nil {
		return []string{fmt.Sprintf(
			"%s has it, and its model is asked. If the daemon ended meanwhile: parley retry %s --to %s.",
			name, id, name,
		)}
	}

	if d.ReasonCode == parley.ProofAnnounced {
		return []string{fmt.Sprintf("%s has its beginning. It counts as read once %[1]s fetches the whole text.", name)}
	}

	if n := len(d.Steps); n > 0 && d.Steps[n-1].Code == parley.ProofRead {
		return []string{
			fmt.Sprintf("parley does not know %s's program: it saw the text go, and not what became of it.", name),
			fmt.Sprintf("parley screen %s shows what did. If the text was lost, send it as a new message.", name),
		}
	}

	return []string{fmt.Sprintf("%s has it. That it has read all of it is not proven.", name)}
}

func heldOutlook(d *parley.Delivery, agent parley.Agent, id string) []string {
	if d.Hold == nil {
		return []string{sentence("It waits", cmp.Or(d.WaitsFor, d.Reason)), d.ReasonCode.Release(agent)}
	}

	spared := "terminal"
	if d.Decision != nil {
		spared = "model"
	}

	return []string{
		sentence("The conversation protocol holds it", d.Reason),
		fmt.Sprintf("%s has it in its inbox; only its %s is spared. parley conversation release %s lets it go on.",
			d.Recipient, spared, id),
	}
}

// withArticle puts the indefinite article before a word.
func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

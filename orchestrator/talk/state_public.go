package talk

import (
	"context"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// copyReading copies what a room shows at a time, with names instead of ids.
func copyReading(roster *team.Roster, r conversation.Reading, res *parley.ConversationStateResult) {
	name := func(id string) string {
		if m := roster.ByID(id); m != nil {
			return m.Name
		}
		return id
	}

	names := func(counts map[string]int) map[string]int {
		by := make(map[string]int, len(counts))
		for id, n := range counts {
			by[name(id)] = n
		}
		return by
	}

	res.State, res.Temperature, res.Conversation.Muted = string(r.State), r.Temperature, r.Muted
	res.Counts = parley.ConversationCounts{
		LastMinute:       r.LastMinute,
		FiveMinutes:      r.FiveMinutes,
		Participants:     names(r.Participants),
		Agents:           names(r.AIs),
		People:           names(r.Humans),
		Questions:        r.Questions,
		Acknowledgements: r.Acknowledgements,
		InARow:           r.InARow,
		Speakers:         []string{},
		Signals:          append([]string{}, r.Signals...),
	}

	for _, id := range r.Speakers {
		res.Counts.Speakers = append(res.Counts.Speakers, name(id))
	}

	res.LastMessageAt, res.Conversation.CooledUntil = optionalTime(r.LastMessage), optionalTime(r.CooledUntil)
	if r.LastSpeaker != "" {
		res.LastSpeaker = name(r.LastSpeaker)
	}
}

// heldFor lists the held messages of the conversation: all of them for the operator, for others
// those from them or to them.
func (s *subject) heldFor(ctx context.Context, me *team.Member, t *Talk) ([]parley.HeldTurn, error) {
	list, err := t.Memory.store.Holds.Withheld(ctx, MaxHolds)
	held := []parley.HeldTurn{}
	for i := range list {
		w := &list[i]
		from, to := w.Message.SenderID, w.Key.RecipientID
		if !s.about(from, to, w.Message.ThreadID) || me.Kind != parley.KindHuman && from != me.ID && to != me.ID {
			continue
		}
		held = append(held, publicHold(t.Memory.roster, w))
	}
	return held, err
}

func publicHold(roster *team.Roster, w *store.Withheld) parley.HeldTurn {
	return parley.HeldTurn{
		MessageID: w.Message.ID,
		Sender:    roster.FillIn(&w.Message).Sender,
		Recipient: roster.ByID(w.Key.RecipientID).Name,
		Reason:    w.Why,
		Text:      w.Reason,
		Until:     optionalTime(w.Until),
		Since:     w.Message.Timestamp,
		Hop:       w.Message.Hop,
		Preview:   plain.Truncate(plain.CleanLine(w.Message.Text), parley.PreviewLength),
	}
}

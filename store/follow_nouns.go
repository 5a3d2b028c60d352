package store

import (
	"encoding/json"

	"parley"
)

// followedAgents reads agents again, with the models that answer for them and their keys.
var followedAgents = reread{
	about: func(e *followedEvent) bool { return e.Type == parley.EventAgent || isChange(changedAgent)(e) },
	read: func(q querier, about []followedEvent, n *News) error {
		ids := make([]string, len(about))
		for i := range about {
			ids[i] = about[i].AgentID
		}

		var rows []agentRow
		if err := q.Query(&rows, `SELECT * FROM agents WHERE id IN ?`, ids); err != nil {
			return err
		}
		answering, err := respondersOf(q, ` WHERE agent_id IN ?`, ids)
		if err != nil {
			return err
		}
		for i := range rows {
			n.Agents = append(n.Agents, rows[i].answeredBy(answering[rows[i].ID]))
		}

		n.Keys, err = keysOf(q, ids)
		return err
	},
}

// followedDeliveries tells the rungs that deliveries have reached.
var followedDeliveries = reread{
	about: isOf(parley.EventDelivery),
	read: func(_ querier, about []followedEvent, n *News) error {
		for _, e := range about {
			n.Deliveries = append(n.Deliveries, NewRung{
				Key: Key{e.MessageSeq, e.RecipientID}, State: parley.DeliveryState(e.State), Code: e.ReasonCode,
			})
		}
		return nil
	},
}

// rungsOf returns the deliveries of messages, by their numbers.
func rungsOf(q querier, messages []int64) (map[int64][]NewRung, error) {
	var rows []struct {
		MessageSeq                   int64
		RecipientID, State, Withheld string
		ReasonCode                   parley.ReasonCode
		AtOnce                       bool
	}
	err := q.Query(&rows, `SELECT message_seq, recipient_id, state, reason_code, withheld,
			coalesce(read_at <= queued_at, false) AS at_once FROM deliveries
		WHERE message_seq IN ? ORDER BY message_seq, recipient_id`, messages)

	byMessage := map[int64][]NewRung{}
	for i := range rows {
		d := &rows[i]
		byMessage[d.MessageSeq] = append(byMessage[d.MessageSeq], NewRung{
			Key: Key{d.MessageSeq, d.RecipientID}, State: parley.DeliveryState(d.State), Code: d.ReasonCode,
			Withheld: d.Withheld, AtOnce: d.AtOnce,
		})
	}

	return byMessage, err
}

// followedActs tells the acts of others, which are in the events.
var followedActs = reread{about: isChange(changedActs), read: func(_ querier, about []followedEvent, n *News) error {
	for _, e := range about {
		var a Act
		if err := json.Unmarshal([]byte(e.Detail), &a); err != nil {
			return err
		}
		n.Acts = append(n.Acts, a)
	}
	return nil
},
}

// followedSettings reads the settings of threads again.
var followedSettings = reread{
	about: isChange(changedSettings),
	read: func(q querier, about []followedEvent, n *News) error {
		ids := make([]string, len(about))
		for i := range about {
			ids[i] = about[i].Detail
		}
		var rows []struct{ ID, Conversation string }
		err := q.Query(&rows, `SELECT id, conversation FROM threads WHERE id IN ?`, ids)
		for _, row := range rows {
			n.Settings[row.ID] = row.Conversation
		}
		return err
	},
}

// followedPause reads the pause again.
var followedPause = reread{
	about: isOf(parley.EventCommunication),
	read: func(q querier, _ []followedEvent, n *News) error {
		n.Paused = true
		var values []string
		err := q.Query(&values, `SELECT value FROM facts WHERE name = ?`, pauseFact)
		if err == nil {
			n.Pause, err = parsePause(values)
		}
		return err
	},
}

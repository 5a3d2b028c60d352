package store

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/store/engine"
)

// modelCallRow is a row of model_calls and the agents' names.
type modelCallRow struct {
	AgentID, Agent, CallerID, Caller string
	MessageID, ReplyID, Model        string
	At, Latency                      int64
	InputTokens, OutputTokens        int
	Requests, ToolCalls              int
	Unmeasured, CutOff               bool
	Reason                           string
}

func (r *modelCallRow) call() ModelCall {
	latency := time.Duration(r.Latency)

	return ModelCall{
		CallerID: r.CallerID,
		CutOff:   r.CutOff,
		ModelCall: parley.ModelCall{
			AgentID:   r.AgentID,
			Agent:     r.Agent,
			Caller:    r.Caller,
			MessageID: r.MessageID,
			ReplyID:   r.ReplyID,
			Model:     r.Model,
			At:        instant(r.At),
			Reason:    parley.ModelReason(r.Reason),
			ToolCalls: r.ToolCalls,
			Usage: parley.Usage{
				InputTokens:  r.InputTokens,
				OutputTokens: r.OutputTokens,
				Requests:     r.Requests,
				Unmeasured:   r.Unmeasured,
				Latency:      latency,
				LatencyMS:    latency.Milliseconds(),
			},
		},
	}
}

var modelCallsTable = engine.Table[ModelCall]{
	Name:    "model_calls",
	Key:     []string{"id"},
	Counter: "id",
	Columns: engine.Columns[ModelCall]{
		{"agent_id", func(c *ModelCall) any { return c.AgentID }},
		{"caller_id", func(c *ModelCall) any { return c.CallerID }},
		{"message_id", func(c *ModelCall) any { return c.MessageID }},
		{"reply_id", func(c *ModelCall) any { return c.ReplyID }},
		{"model", func(c *ModelCall) any { return c.Model }},
		{"at", func(c *ModelCall) any { return nanos(c.At) }},
		{"latency", func(c *ModelCall) any { return int64(c.Latency) }},
		{"input_tokens", func(c *ModelCall) any { return c.InputTokens }},
		{"output_tokens", func(c *ModelCall) any { return c.OutputTokens }},
		{"requests", func(c *ModelCall) any { return c.Requests }},
		{"tool_calls", func(c *ModelCall) any { return c.ToolCalls }},
		{"unmeasured", func(c *ModelCall) any { return c.Unmeasured }},
		{"cut_off", func(c *ModelCall) any { return c.CutOff }},
		{"reason", func(c *ModelCall) any { return string(c.Reason) }},
	},
}

// recordCall stores a call. A missing time is now.
func (t respondersIn) recordCall(c *ModelCall) error {
	if c.At.IsZero() {
		c.At = t.tx.Now
	}

	return modelCallsTable.Insert(t.tx, *c)
}

// Unanswered records a call that brought no answer, and the reason on the message's
// delivery, unless the agent has read the message meanwhile.
func (s *Responders) Unanswered(ctx context.Context, c ModelCall, why string) error {
	return s.db.write(ctx, "storing that a model gave no answer", func(t *tx) error {
		if err := (respondersIn{t}).recordCall(&c); err != nil {
			return err
		}

		d, err := deliveriesIn{t}.find(c.AgentID, c.MessageID, "")
		if err != nil || d == nil || d.ReadAt != nil {
			return err
		}

		unanswered := Change{State: parley.DeliverySubmitted, Cause: parley.EndedNoAnswer.In(why)}
		return deliveriesIn{t}.write(d.key(), []Change{unanswered}, 0)
	})
}

// selectModelCalls selects modelCallRows.
const selectModelCalls = `SELECT c.agent_id, a.name AS agent, c.caller_id, f.name AS caller,
		c.message_id, c.reply_id, c.model, c.at, c.latency,
		c.input_tokens, c.output_tokens, c.requests, c.tool_calls, c.unmeasured, c.cut_off, c.reason
	FROM model_calls c JOIN agents a ON a.id = c.agent_id JOIN agents f ON f.id = c.caller_id`

// LastCall returns the last call to a model about a message, nil for none.
func (s *Responders) LastCall(ctx context.Context, messageID string) (*ModelCall, error) {
	var rows []modelCallRow
	err := s.db.read(ctx, "reading a model's call", &rows,
		selectModelCalls+` WHERE c.message_id = ? ORDER BY c.id DESC LIMIT 1`, messageID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	c := rows[0].call()

	return &c, nil
}

// UsageQuery asks for the calls to models.
type UsageQuery struct {
	AgentID string // "" for all
	Since   time.Time
	Calls   int // the number of calls to list
}

// usageRow is the sum of an agent's calls that ended for the same reason.
type usageRow struct {
	AgentID, Agent, Reason    string
	N, Requests, Unmeasured   int
	InputTokens, OutputTokens int64
	Latency, Last             int64
}

// Usage sums up calls by agent, and lists the last of them, the newest first.
func (s *Responders) Usage(ctx context.Context, q UsageQuery) ([]parley.AgentUsage, []ModelCall, error) {
	const doing = "summing up the models' calls"
	where, args := ` WHERE c.at > ?`, []any{nanos(q.Since)}
	if q.AgentID != "" {
		where, args = where+` AND c.agent_id = ?`, append(args, q.AgentID)
	}

	var sums []usageRow
	err := s.db.read(ctx, doing, &sums, `SELECT c.agent_id, a.name AS agent, c.reason, count(*) AS n,
			sum(c.requests) AS requests, sum(c.unmeasured) AS unmeasured, sum(c.input_tokens) AS input_tokens,
			sum(c.output_tokens) AS output_tokens, sum(c.latency) AS latency, max(c.at) AS last
		FROM model_calls c JOIN agents a ON a.id = c.agent_id`+where+`
		GROUP BY c.agent_id, a.name, c.reason ORDER BY lower(a.name), c.reason`, args...)
	if err != nil {
		return nil, nil, err
	}

	var agents []parley.AgentUsage
	for i := range sums {
		if len(agents) == 0 || agents[len(agents)-1].AgentID != sums[i].AgentID {
			agents = append(agents, parley.AgentUsage{AgentID: sums[i].AgentID, Agent: sums[i].Agent})
		}
		sums[i].addTo(&agents[len(agents)-1])
	}

	if q.Calls == 0 {
		return agents, nil, nil
	}

	var rows []modelCallRow
	err = s.db.read(ctx, doing, &rows, selectModelCalls+where+` ORDER BY c.id DESC LIMIT ?`, append(args, q.Calls)...)
	calls := make([]ModelCall, len(rows))
	for i := range rows {
		calls[i] = rows[i].call()
	}

	return agents, calls, err
}

// addTo adds the sum to an agent's usage.
func (r *usageRow) addTo(a *parley.AgentUsage) {
	spent := parley.Spent{
		Calls:        r.N,
		Answered:     r.N,
		InputTokens:  r.InputTokens,
		OutputTokens: r.OutputTokens,
		Requests:     r.Requests,
		LatencyMS:    time.Duration(r.Latency).Milliseconds(),
		Unmeasured:   r.Unmeasured,
	}

	if r.Reason != "" {
		spent.Answered, spent.Failed = 0, r.N
		if a.Failures == nil {
			a.Failures = map[string]int{}
		}
		a.Failures[r.Reason] += r.N
	}

	a.Add(spent)
	if last := instant(r.Last); last.After(a.LastCall) {
		a.LastCall = last
	}
}

// NotAnswered returns the messages that a model should answer and has not, except
// dismissed ones, the newest first.
func (s *Responders) NotAnswered(ctx context.Context) ([]InboxItem, error) {
	return s.db.items(ctx, ` WHERE d.recipient_id IN (SELECT agent_id FROM responders)
		AND `+isUnansweredByModel+` AND d.dismissed = 0`, false, maxNeeds)
}

// isUnansweredByModel selects, among the deliveries to responders, those that a model
// should answer and has not. A thread's post has a decision then.
const isUnansweredByModel = `(d.kind = 'direct' OR d.decision <> '') AND d.read_at IS NULL AND d.state = 'submitted'`

// Responders keeps how models answer for agents, what they remember, and each call.
type Responders struct{ db *database }

// SetResponder records how a model answers for an agent, and with it the agent's kind and
// its approval. The agent's keys stay valid. AGENT_NOT_FOUND.
func (s *Responders) SetResponder(ctx context.Context, a parley.Agent) error {
	return s.db.write(ctx, "storing the responder", func(t *tx) error {
		if _, err := (agentsIn{t}).load(a.ID); err != nil {
			return err
		}
		row := agentsIn{t}.row(&a)

		if _, err := agentsTable.Update(t, &row, butFor("id", "name", "created_at"), `id = ?`, a.ID); err != nil {
			return err
		}

		words := "takes part as a " + row.Kind
		if row.Approval != "" {
			words = "is a " + row.Kind + ", " + row.Approval + " as a special agent"
		}
		agentsIn{t}.logLifecycle(&row, words)

		return respondersIn{t}.replace(a.ID, a.Responder)
	})
}

// recordReply stores what belongs to the reply of a responder: what it forgets, and its
// call to a model.
func (p posting) recordReply(seq int64) error {
	if p.Forgets {
		for i := range p.Deliveries {
			other := p.Deliveries[i].RecipientID
			if err := (respondersIn{p.tx}).forgetBefore(p.Message.SenderID, other, seq); err != nil {
				return err
			}
		}
	}
	if p.Call == nil {
		return nil
	}
	return respondersIn{p.tx}.recordCall(p.Call)
}

// Decisions returns what the conversation protocol decided about the responders that got
// a message, by their IDs.
func (s *Responders) Decisions(ctx context.Context, messageID string) (map[string]parley.ConversationDecision, error) {
	var rows []struct{ RecipientID, Recipient, Decision string }
	err := s.db.read(ctx, "reading the decisions", &rows, `SELECT d.recipient_id, r.name AS recipient, d.decision
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq JOIN agents r ON r.id = d.recipient_id
		WHERE m.id = ? AND d.decision <> ''`, messageID)

	byID := map[string]parley.ConversationDecision{}
	for _, r := range rows {
		if d := parseDecision(r.Decision, r.RecipientID, r.Recipient); d != nil {
			byID[r.RecipientID] = *d
		}
	}

	return byID, err
}

// Recall returns the latest messages between a responder and another agent before a given
// one, oldest first, as far as the responder has not forgotten them. It leaves out
// commands, their answers, and messages that the responder did not answer.
func (s *Responders) Recall(
	ctx context.Context, responderID, otherID, messageID string, limit int,
) ([]parley.Message, error) {
	if limit <= 0 {
		return nil, nil
	}

	items, err := s.db.items(ctx, ` WHERE d.conversation_id = ? AND d.kind = 'direct'
		AND d.message_seq < (SELECT seq FROM messages WHERE id = ?)
		AND d.message_seq > coalesce(
			(SELECT f.message_seq FROM forgotten f WHERE f.responder_id = ? AND f.other_id = ?), 0)
		AND (m.sender_id = ? OR d.answered_by <> '')`, false, recallScan*limit+recallScan,
		parley.ConversationID(responderID, otherID), messageID, responderID, otherID, responderID)
	if err != nil {
		return nil, err
	}

	commands := map[string]bool{}
	for _, item := range items {
		if _, is := parley.IsCommand(item.Message.Text); is && item.Message.SenderID != responderID {
			commands[item.Message.ID] = true
		}
	}

	var said []parley.Message
	for _, item := range items {
		if m := item.Message; !commands[m.ID] && !commands[m.InReplyTo] && len(said) < limit {
			said = append(said, m)
		}
	}

	slices.Reverse(said)

	return said, nil
}

// RecallThread returns what a responder knows of a thread when it answers one of its
// posts: the latest posts before that one, and the responder's own since, oldest first.
func (s *Responders) RecallThread(
	ctx context.Context, responderID, threadID, messageID string, limit int,
) ([]parley.Message, error) {
	if limit <= 0 {
		return nil, nil
	}

	var rows []messageRow
	err := s.db.read(ctx, "reading the thread", &rows, `SELECT `+messageColumns+`
		FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.thread_id = ? AND m.thread_id <> '' AND m.kind = 'thread' AND m.id <> ?
			AND (m.seq < (SELECT seq FROM messages WHERE id = ?) OR m.sender_id = ?)
		ORDER BY m.seq DESC LIMIT ?`, threadID, messageID, messageID, responderID, limit)
	return oldestFirst(rows), err
}

// forgetBefore makes a responder forget its talk with another, up to one of its messages.
func (t respondersIn) forgetBefore(responderID, otherID string, seq int64) error {
	_, err := t.tx.Exec(`INSERT INTO forgotten (responder_id, other_id, message_seq) VALUES (?, ?, ?)
		ON CONFLICT (responder_id, other_id) DO UPDATE SET
			message_seq = `+engine.Greatest(`forgotten.message_seq`, `excluded.message_seq`), responderID, otherID, seq)
	return err
}

// recallScan is how many messages Recall reads for each that it returns, since it leaves
// some out.
const recallScan = 3

// forgottenTable has what responders have forgotten.
var forgottenTable = engine.Table[struct{}]{Name: "forgotten", Key: []string{"responder_id", "other_id"}}

// Package talk is the conversation protocol at work: it remembers who said what to whom,
// decides which messages wait, and lets them go on. The rules themselves are in package
// conversation.
package talk

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// Talk is the conversation protocol: what it remembers, and what the operator and time do with what it holds.
type Talk struct {
	Memory     *memory
	rechecking sync.Mutex // held during a whole Recheck
}

// memory is what the conversation protocol remembers and judges by: the budgets of the agents, the threads,
// and the messages that it holds. All of it is rebuilt from the database at a start.
type memory struct {
	store  *store.Store
	roster *team.Roster
	now    func() time.Time
	log    *slog.Logger

	loadingThread sync.Mutex // held while a thread is loaded

	mu         sync.Mutex
	settings   conversation.Settings
	draw       conversation.Source
	budgets    conversation.Budgets
	threads    map[string]*threadMemory // by the thread's id
	holds      holds
	excesses   excesses
	missed     bool      // the database has a hold that is not in holds
	comparedAt time.Time // when holds were last compared with the database
}

// direction is the way from one agent to another, by their ids.
type direction struct{ from, to string }

const (
	// replaySince and maxTurns bound the turns that are read at a start: chains are
	// remembered for a day, and reading that many turns takes a tenth of a second.
	replaySince = 24 * time.Hour
	maxTurns    = 20_000
	// replayPosts is how many posts of a thread are read: as many as a
	// conversation.Room remembers.
	replayPosts = 500
	// MaxHolds is how many held deliveries are kept in memory.
	MaxHolds = 10_000
)

func linkOf(m *parley.Message) conversation.Link {
	return conversation.Link{Chain: m.ChainID, Hop: m.Hop}
}

// Options are what the protocol works with. All of them are required.
type Options struct {
	Store    *store.Store
	Roster   *team.Roster
	Settings conversation.Settings // what agents may say to each other before a person speaks again
	Now      func() time.Time
	Log      *slog.Logger
}

// Load rebuilds the protocol's memory as it was when the last daemon ended.
func Load(ctx context.Context, opts Options) (*Talk, error) {
	mem := &memory{
		store:    opts.Store,
		roster:   opts.Roster,
		now:      opts.Now,
		log:      opts.Log,
		settings: opts.Settings,
		threads:  map[string]*threadMemory{},
		holds:    newHolds(),
		excesses: excesses{},
	}
	if err := mem.replayTurns(ctx); err != nil {
		return nil, err
	}
	return &Talk{Memory: mem}, mem.loadHolds(ctx)
}

// replayTurns counts the latest turns again, and repeats the operator's acts between them.
func (mem *memory) replayTurns(ctx context.Context) error {
	key, err := mem.store.Conversations.DrawKey(ctx)
	if err != nil {
		return err
	}

	mem.draw = conversation.Keyed(key)
	turns, err := mem.store.Conversations.Turns(ctx, mem.now().Add(-replaySince), maxTurns)
	if err != nil {
		return err
	}

	acts, err := mem.store.Conversations.Acts(ctx)
	if err != nil {
		return err
	}

	last := map[string]string{} // each thread's last chain
	for i := range turns {
		r := &turns[i]
		for ; len(acts) > 0 && !acts[0].At.After(r.At()); acts = acts[1:] {
			replay(&mem.budgets, &acts[0])
		}

		from, to := mem.roster.ByID(r.SenderID), mem.roster.ByID(r.RecipientID)
		if from != nil && to != nil && (r.ThreadID != "" || to.Responder() == nil) { // as rule does
			link := conversation.Link{Chain: r.ChainID, Hop: r.Hop}
			turn := turnOf(from, to, link, r.At(), cmp.Or(r.Replied, last[r.ThreadID]))
			if v := mem.budgets.Judge(mem.settings, turn); isBudget(v.Reason) && isMailbox(to) {
				what, _ := v.Explain()
				x := mem.excesses.note(from, to, turn, what)
				x.messageID, x.threadID = r.MessageID, r.ThreadID
			}
			mem.budgets.Take(turn)
			if r.Settled {
				mem.budgets.Settle(link)
			}
		}

		if r.ThreadID != "" && (i+1 == len(turns) || turns[i+1].MessageID != r.MessageID) {
			last[r.ThreadID] = r.ChainID
		}
	}

	for i := range acts {
		replay(&mem.budgets, &acts[i])
	}

	return nil
}

// Settle lets mailboxes begin anew after a settled request; nil for none.
func (mem *memory) Settle(a *store.Act) {
	if a != nil {
		mem.mu.Lock()
		defer mem.mu.Unlock()
		replay(&mem.budgets, a)
	}
}

// replay repeats an act of the operator, or of a recipient, on two agents. Acts on threads are repeated when
// the threads are loaded.
func replay(budgets *conversation.Budgets, a *store.Act) {
	if a.One == "" {
		return
	}

	link := conversation.Link{Chain: a.ChainID, Hop: a.Hop}
	switch parley.ConversationAction(a.Action) {
	case store.ActSettled:
		budgets.Settle(link)
	case parley.ActionMute:
		budgets.Mute(a.One, a.Other)
	case parley.ActionUnmute:
		budgets.Unmute(a.One, a.Other)
	case parley.ActionCool:
		budgets.Cool(a.One, a.Other, a.At)
	case parley.ActionRelease:
		budgets.Release(conversation.Turn{
			From: a.One,
			To:   a.Other,
			At:   a.At,
			Link: link,
		})
	}
}

func turnOf(from, to *team.Member, l conversation.Link, at time.Time, renews string) conversation.Turn {
	return conversation.Turn{
		Link:      l,
		From:      from.ID,
		To:        to.ID,
		At:        at,
		Renews:    renews,
		FromHuman: from.Kind == parley.KindHuman,
		ToHuman:   to.Kind == parley.KindHuman,
		ToMailbox: isMailbox(to),
	}
}

// NextLink returns the link of a new message.
func (mem *memory) NextLink(id string, from *team.Member, replied conversation.Link) conversation.Link {
	at, known := from.Turn()
	turn := conversation.Link{Chain: at.Chain, Hop: at.Hop}

	mem.mu.Lock()
	defer mem.mu.Unlock()
	if !known { // a mailbox, or a terminal that this daemon has typed nothing into
		turn = mem.budgets.Turn(from.ID)
	}
	return conversation.Next(id, from.Kind == parley.KindHuman, replied, turn)
}

// Follow takes over what other hosts have written: the turns that they counted, what they held and
// released, and what the operator did there. The store calls it before it judges a message of this host.
func (mem *memory) Follow(n *store.News) {
	mem.mu.Lock()
	defer mem.mu.Unlock()

	for i := range n.Messages {
		mem.followMessage(&n.Messages[i])
	}
	for i := range n.Deliveries {
		mem.followRung(&n.Deliveries[i])
	}
	for i := range n.Acts {
		mem.followAct(&n.Acts[i])
	}
	for id, text := range n.Settings {
		mem.followSettings(id, text)
	}
}

// followMessage counts the turns that a message began, as Judge does. The caller holds mu.
func (mem *memory) followMessage(m *store.NewMessage) {
	from := mem.roster.ByID(m.SenderID)
	if from == nil || from.Kind == parley.KindSystem || m.Kind == parley.KindNotice {
		return
	}

	renews := m.RepliedChain
	if r := mem.threads[m.ThreadID]; r != nil && m.Kind == parley.KindThread { // another is loaded when it is needed
		renews = cmp.Or(renews, r.chain)
		var names []string
		for _, d := range m.Deliveries {
			if to := mem.roster.ByID(d.RecipientID); to != nil {
				names = append(names, to.Name)
			}
		}
		r.add(&m.Message, from, names)
	}

	if from.Kind != parley.KindHuman {
		renews = ""
	} else {
		for _, h := range mem.holds.byKey {
			h.due = h.due || h.mayPassAfter(&m.Message)
		}
	}

	for i := range m.Deliveries {
		d := &m.Deliveries[i]
		to := mem.roster.ByID(d.RecipientID)
		direct := m.Kind != parley.KindThread
		switch {
		case d.Withheld != "":
			mem.missed = true
		case to == nil, d.State == parley.DeliveryFailed, d.AtOnce, direct && to.Responder() != nil:
		default:
			mem.budgets.Take(turnOf(from, to, linkOf(&m.Message), m.Timestamp, renews))
		}
	}
}

// followRung takes over what became of a held delivery. The caller holds mu.
func (mem *memory) followRung(d *store.NewRung) {
	h := mem.holds.byKey[d.Key]
	switch {
	case d.Code == parley.HoldConversation:
		mem.missed = true // it is held for another reason
		mem.holds.drop(d.Key)
	case h == nil, d.State == parley.DeliveryHeld:
	default:
		mem.holds.drop(d.Key)
		from, to := mem.roster.ByID(h.Message.SenderID), mem.roster.ByID(d.RecipientID)
		if d.Code == parley.ProofReleased && from != nil && to != nil {
			mem.budgets.Take(turnOf(from, to, linkOf(&h.Message), mem.now(), ""))
		}
	}
}

// followAct repeats what the operator did to a conversation. The caller holds mu.
func (mem *memory) followAct(a *store.Act) {
	replay(&mem.budgets, a)
	if r := mem.threads[a.ThreadID]; r != nil && a.One == "" {
		r.replay(parley.ConversationAction(a.Action), a.At)
	}

	for _, h := range mem.holds.byKey {
		from, to := h.Message.SenderID, h.Key.RecipientID
		same := a.One == "" && h.Message.ThreadID == a.ThreadID || a.One == from && a.Other == to ||
			a.One == to && a.Other == from
		h.due = h.due || same
	}
}

// followSettings takes over the settings of a thread, if it is known. The caller holds mu.
func (mem *memory) followSettings(id, text string) {
	r := mem.threads[id]
	if r == nil {
		return
	}
	r.settings = conversation.Settings{}
	if text != "" && json.Unmarshal([]byte(text), &r.settings) != nil {
		mem.log.Error("read the settings of a thread", "thread", id)
	}
	for _, h := range mem.holds.byKey {
		h.due = h.due || h.Message.ThreadID == id
	}
}

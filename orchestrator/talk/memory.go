package talk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// talk is the conversation protocol at work: what it remembers of who said what to
// whom, and what it holds. All of it is made again from the database.
type Talk struct {
	store  *store.Store
	roster *team.Roster
	now    func() time.Time
	log    *slog.Logger

	loadingThread sync.Mutex // held while a room is made
	rechecking    sync.Mutex // held while what is held is looked at again, to its end

	mu         sync.Mutex
	settings   conversation.Settings
	draw       conversation.Source
	budgets    conversation.Budgets
	threads    map[string]*threadMemory // by the thread's id
	holds      map[store.Key]*hold
	waits      map[direction]int // holds that pass by waiting, from one agent to another
	missed     bool              // the database holds something that is not among holds
	comparedAt time.Time         // when holds were last compared with it
}

// room is a thread as the protocol knows it.
type threadMemory struct {
	conversation.Room
	settings conversation.Settings // of its own; those that are 0 are the team's
	chain    string                // of its last post
}

// direction is the way from one agent to another, by their ids.
type direction struct{ from, to string }

const (
	// replaySince and maxTurns bound what is read again at a start: chains are
	// remembered for a day, and that many turns are read in a tenth of a second.
	replaySince = 24 * time.Hour
	maxTurns    = 20_000
	// replayPosts is how many posts of a thread are read again: as many as a Room
	// remembers.
	replayPosts = 500
	// mostHolds bounds what is kept in memory of what is held.
	MaxHolds = 10_000
)

func linkOf(m *parley.Message) conversation.Link {
	return conversation.Link{Chain: m.ChainID, Hop: m.Hop}
}

// talkOptions are what the protocol works with. All of them are required.
type Options struct {
	Store    *store.Store
	Roster   *team.Roster
	Settings conversation.Settings // what agents may say to each other before a person speaks again
	Now      func() time.Time
	Log      *slog.Logger
}

// loadTalk makes the protocol's memory again, as it was when the last daemon ended.
func Load(ctx context.Context, opts Options) (*Talk, error) {
	t := &Talk{store: opts.Store, roster: opts.Roster, now: opts.Now, log: opts.Log, settings: opts.Settings,
		threads: map[string]*threadMemory{}, waits: map[direction]int{}}
	if err := t.replayTurns(ctx); err != nil {
		return nil, err
	}
	return t, t.loadHolds(ctx)
}

// replayTurns reads the latest turns again, and between them what the operator did.
func (t *Talk) replayTurns(ctx context.Context) error {
	key, err := t.store.DrawKey(ctx)
	if err != nil {
		return err
	}

	t.draw = conversation.Keyed(key)
	turns, err := t.store.Turns(ctx, t.now().Add(-replaySince), maxTurns)
	if err != nil {
		return err
	}

	acts, err := t.store.Acts(ctx)
	if err != nil {
		return err
	}

	last := map[string]string{} // each thread's last chain
	for i := range turns {
		r := &turns[i]
		for ; len(acts) > 0 && !acts[0].At.After(r.At()); acts = acts[1:] {
			t.replay(&acts[0])
		}

		from, to := t.roster.ByID(r.SenderID), t.roster.ByID(r.RecipientID)
		if from != nil && to != nil && (r.ThreadID != "" || to.Responder() == nil) { // see ruleOf
			t.budgets.Take(
				turnOf(
					from,
					to,
					conversation.Link{Chain: r.ChainID, Hop: r.Hop},
					r.At(),
					cmp.Or(r.Replied, last[r.ThreadID]),
				),
			)
		}

		if r.ThreadID != "" && (i+1 == len(turns) || turns[i+1].MessageID != r.MessageID) {
			last[r.ThreadID] = r.ChainID
		}
	}

	for i := range acts {
		t.replay(&acts[i])
	}

	return nil
}

// repeat does again what the operator did to two agents; what was done to threads is
// repeated with their rooms.
func (t *Talk) replay(a *store.Act) {
	if a.One == "" {
		return
	}

	switch parley.ConversationAction(a.Action) {
	case parley.ActionMute:
		t.budgets.Mute(a.One, a.Other)
	case parley.ActionUnmute:
		t.budgets.Unmute(a.One, a.Other)
	case parley.ActionCool:
		t.budgets.Cool(a.One, a.Other, a.At)
	case parley.ActionRelease:
		t.budgets.Release(
			conversation.Turn{
				From: a.One,
				To:   a.Other,
				At:   a.At,
				Link: conversation.Link{Chain: a.ChainID, Hop: a.Hop},
			},
		)
	}
}

// repeat does again what the operator did to a thread.
func (r *threadMemory) replay(action parley.ConversationAction, at time.Time) {
	switch action {
	case parley.ActionMute:
		r.Mute()
	case parley.ActionUnmute:
		r.Unmute()
	case parley.ActionCool:
		r.Cool(at)
	case parley.ActionRelease:
		r.Release()
	}
}

func turnOf(from, to *team.Member, l conversation.Link, at time.Time, renews string) conversation.Turn {
	return conversation.Turn{Link: l, From: from.ID, To: to.ID, At: at, Renews: renews,
		FromHuman: from.Kind == parley.KindHuman, ToHuman: to.Kind == parley.KindHuman}
}

// enterRoom makes the memory of a thread, once for a daemon's life, from its posts.
func (t *Talk) LoadThread(ctx context.Context, threadID string) error {
	t.loadingThread.Lock()
	defer t.loadingThread.Unlock()

	if t.thread(threadID) != nil {
		return nil
	}

	th, err := t.roster.Thread(ctx, threadID)
	if err != nil {
		return err
	}

	posts, err := t.store.Posts(ctx, threadID, replayPosts)
	if err != nil {
		return err
	}

	acts, err := t.store.Acts(ctx)
	if err != nil {
		return err
	}

	r := &threadMemory{}
	settings, err := t.store.ThreadSettings(ctx, threadID)
	if err != nil {
		return err
	}

	if settings != "" {
		if err := json.Unmarshal([]byte(settings), &r.settings); err != nil {
			return fmt.Errorf("read the settings of thread %s: %w", threadID, err)
		}
	}

	for i := range posts {
		for ; len(acts) > 0 && acts[0].At.Before(posts[i].Timestamp); acts = acts[1:] {
			r.replayAct(threadID, &acts[0])
		}
		if from := t.roster.ByID(posts[i].SenderID); from != nil {
			r.add(&posts[i], from, namesExcept(from, th.ParticipantNames))
		}
	}

	for i := range acts {
		r.replayAct(threadID, &acts[i])
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	t.threads[threadID] = r

	return nil
}

func (r *threadMemory) replayAct(threadID string, a *store.Act) {
	if a.ThreadID == threadID && a.One == "" {
		r.replay(parley.ConversationAction(a.Action), a.At)
	}
}

func (t *Talk) thread(threadID string) *threadMemory {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.threads[threadID]
}

// openRoom begins that of a new thread.
func (t *Talk) OpenThread(threadID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.threads[threadID] = &threadMemory{}
}

// hear takes a post into account.
func (r *threadMemory) add(m *parley.Message, from *team.Member, others []string) {
	r.Add(postOf(m, from), others)
	r.chain = m.ChainID
}

func postOf(m *parley.Message, from *team.Member) conversation.Post {
	return conversation.Post{
		ID:    m.ID,
		From:  m.SenderID,
		Human: from.Kind == parley.KindHuman,
		Text:  m.Text,
		At:    m.Timestamp,
	}
}

func namesExcept(from *team.Member, names []string) []string {
	var others []string
	for _, name := range names {
		if name != from.Name {
			others = append(others, name)
		}
	}
	return others
}

// settingsOf returns those that hold in a thread, or, for none, in the team.
func (t *Talk) settingsOf(threadID string) conversation.Settings {
	s := t.settings
	r := t.threads[threadID]
	if r == nil {
		return s
	}

	own := r.settings

	return conversation.Settings{
		Off:            s.Off || own.Off,
		ChainHops:      cmp.Or(own.ChainHops, s.ChainHops),
		PairMinute:     cmp.Or(own.PairMinute, s.PairMinute),
		PairTenMinutes: cmp.Or(own.PairTenMinutes, s.PairTenMinutes),
		CycleRounds:    cmp.Or(own.CycleRounds, s.CycleRounds),
	}
}

// nextLink returns the link of a new message.
func (t *Talk) NextLink(id string, from *team.Member, replied conversation.Link) conversation.Link {
	at, known := from.Turn()
	turn := conversation.Link{Chain: at.Chain, Hop: at.Hop}

	t.mu.Lock()
	defer t.mu.Unlock()
	if !known { // a mailbox, or a terminal that this daemon has typed nothing into
		turn = t.budgets.Turn(from.ID)
	}
	return conversation.Next(id, from.Kind == parley.KindHuman, replied, turn)
}

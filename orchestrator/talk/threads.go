package talk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// threadMemory is a thread as the protocol knows it.
type threadMemory struct {
	conversation.Room
	settings conversation.Settings // of the thread; 0: that of the team counts
	chain    string                // of the last post
}

// replay repeats an act of the operator on a thread.
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

// LoadThread rebuilds the memory of a thread from its posts, once in a daemon's life.
func (mem *memory) LoadThread(ctx context.Context, threadID string) error {
	mem.loadingThread.Lock()
	defer mem.loadingThread.Unlock()

	mem.mu.Lock()
	known := mem.threads[threadID] != nil
	mem.mu.Unlock()

	if known {
		return nil
	}

	th, err := mem.roster.Names.Thread(ctx, threadID)
	if err != nil {
		return err
	}

	posts, err := mem.store.Threads.Posts(ctx, threadID, replayPosts)
	if err != nil {
		return err
	}

	acts, err := mem.store.Conversations.Acts(ctx)
	if err != nil {
		return err
	}

	r := &threadMemory{}
	settings, err := mem.store.Conversations.ThreadSettings(ctx, threadID)
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
		if from := mem.roster.ByID(posts[i].SenderID); from != nil {
			r.add(&posts[i], from, namesExcept(from, th.ParticipantNames))
		}
	}

	for i := range acts {
		r.replayAct(threadID, &acts[i])
	}

	mem.mu.Lock()
	defer mem.mu.Unlock()

	mem.threads[threadID] = r

	return nil
}

func (r *threadMemory) replayAct(threadID string, a *store.Act) {
	if a.ThreadID == threadID && a.One == "" {
		r.replay(parley.ConversationAction(a.Action), a.At)
	}
}

// add counts a post, which went to the others.
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
		Asks:  m.RequiresResponse,
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

// settingsOf returns the settings of a thread, or those of the team for "". The caller
// holds mu.
func (mem *memory) settingsOf(threadID string) conversation.Settings {
	s := mem.settings
	r := mem.threads[threadID]
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

		RefuseMailboxes: s.RefuseMailboxes,
	}
}

package team

import (
	"context"
	"sync"

	"parley"
	"parley/store"
)

// FillIn fills in what the database leaves to memory: names, roles and titles.
func (r *Roster) FillIn(m *parley.Message) *parley.Message {
	if from := r.ByID(m.SenderID); from != nil {
		m.Sender, m.SenderRole = from.Name, from.Agent().Role
	}
	if m.ThreadID != "" {
		m.ThreadTitle, _ = r.Titles.Find(m.ThreadID)
	}
	return m
}

func (r *Roster) FillInDeliveries(ds []parley.Delivery) []parley.Delivery {
	for i := range ds {
		if m := r.ByID(ds[i].RecipientID); m != nil {
			ds[i].Recipient = m.Name
		}
	}
	return ds
}

// titles are those of all threads, by their ids. They never change, and every post
// that is typed shows one.
type titles struct {
	mu sync.RWMutex
	of map[string]string
}

func (t *titles) Load(ctx context.Context, s *store.Store) (err error) {
	t.of, err = s.ThreadTitles(ctx)
	return err
}

func (t *titles) Find(id string) (title string, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	title, ok = t.of[id]
	return title, ok
}

func (t *titles) Add(id, title string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[id] = title
}

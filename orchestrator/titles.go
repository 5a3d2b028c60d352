package orchestrator

import (
	"context"
	"sync"

	"parley"
	"parley/store"
)

// dress fills in what the database leaves to memory: names, roles and titles.
func (r *roster) dress(m *parley.Message) *parley.Message {
	if from := r.id(m.SenderID); from != nil {
		m.Sender, m.SenderRole = from.name, from.snapshot().Role
	}
	if m.ThreadID != "" {
		m.ThreadTitle, _ = r.titles.find(m.ThreadID)
	}
	return m
}

func (r *roster) dressDeliveries(ds []parley.Delivery) []parley.Delivery {
	for i := range ds {
		if m := r.id(ds[i].RecipientID); m != nil {
			ds[i].Recipient = m.name
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

func (t *titles) load(ctx context.Context, s *store.Store) (err error) {
	t.of, err = s.ThreadTitles(ctx)
	return err
}

func (t *titles) find(id string) (title string, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	title, ok = t.of[id]
	return title, ok
}

func (t *titles) add(id, title string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[id] = title
}

package team

import (
	"context"
	"strings"
	"sync"

	"parley"
	"parley/store"
)

// names fill in what the database does not store with messages and threads.
type names struct {
	*directory
	store  *store.Store
	Titles titles
}

// FillIn adds to a message what the database does not store with it, the sender's name and role and
// the title of its thread, and returns m.
func (n *names) FillIn(m *parley.Message) *parley.Message {
	if from := n.ByID(m.SenderID); from != nil {
		m.Sender, m.SenderRole = from.Name, from.Agent().Role
	}
	if m.ThreadID != "" {
		m.ThreadTitle, _ = n.Titles.Find(m.ThreadID)
	}
	return m
}

// FillInDeliveries adds the names of the recipients, and returns ds.
func (n *names) FillInDeliveries(ds []parley.Delivery) []parley.Delivery {
	for i := range ds {
		if m := n.ByID(ds[i].RecipientID); m != nil {
			ds[i].Recipient = m.Name
		}
	}
	return ds
}

// titles caches the titles of all threads by their ids. They never change, and every typed post
// shows one.
type titles struct {
	mu   sync.RWMutex
	byID map[string]string
}

// Matching returns the ids of the threads whose id begins with a text, or whose title has it.
func (t *titles) Matching(text string) (ids []string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	text = strings.ToLower(text)
	for id, title := range t.byID {
		named := len(text) >= parley.ShortID && strings.HasPrefix(id, text)
		if named || strings.Contains(strings.ToLower(title), text) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Load reads all titles from the store. Nothing else may be called before it returns.
func (t *titles) Load(ctx context.Context, s *store.Store) (err error) {
	t.byID, err = s.Threads.ThreadTitles(ctx)
	return err
}

// Find returns the title of the thread with this id.
func (t *titles) Find(id string) (title string, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	title, ok = t.byID[id]
	return title, ok
}

// Add keeps the title of a new thread.
func (t *titles) Add(id, title string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[id] = title
}

package mcpserver

import (
	lru "container/list"
	"fmt"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// sessions accepts every session id of the right form, so that sessions survive a restart
// of the daemon: agents do not always begin a new session when theirs is gone. Only the
// sessions that clients end are dead; the transport's own sweeping, which calls Terminate,
// ends nothing.
type sessions struct {
	server.StatelessGeneratingSessionIdManager

	mu   sync.Mutex
	dead map[string]bool
	past []string                // the dead sessions, oldest first
	used map[string]*lru.Element // the sessions of which the transport may hold something, by id
	last lru.List                // their ids, the last used first
}

// maxSessions bounds of how many sessions the transport holds something, above all what a client
// says of itself. A session that is forgotten works on, as after a restart of the daemon.
const maxSessions = 256

// rememberDead bounds the number of dead sessions that are remembered.
const rememberDead = 10_000

// Generate implements server.SessionIdManager.
func (s *sessions) Generate() string {
	id := s.StatelessGeneratingSessionIdManager.Generate()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(id)
	return id
}

// note notes the use of a session. The caller holds s.mu.
func (s *sessions) note(id string) {
	if e := s.used[id]; e != nil {
		s.last.MoveToFront(e)
		return
	}
	if s.used == nil {
		s.used = map[string]*lru.Element{}
	}
	s.used[id] = s.last.PushFront(id)
}

// takeOld returns the sessions beyond maxSessions that were not used for longest, and forgets them.
func (s *sessions) takeOld() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.last.Len() > maxSessions {
		id := s.last.Remove(s.last.Back()).(string)
		delete(s.used, id)
		ids = append(ids, id)
	}
	return ids
}

// Validate implements server.SessionIdManager.
func (s *sessions) Validate(id string) (dead bool, err error) {
	if _, err := s.StatelessGeneratingSessionIdManager.Validate(id); err != nil {
		return false, fmt.Errorf("check the session id: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dead[id] {
		s.note(id)
	}
	return s.dead[id], nil
}

func (s *sessions) end(id string) {
	if _, err := s.StatelessGeneratingSessionIdManager.Validate(id); err != nil {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.dead[id] {
		return
	}

	if e := s.used[id]; e != nil {
		s.last.Remove(e)
		delete(s.used, id)
	}

	s.dead[id] = true
	s.past = append(s.past, id)
	if len(s.past) > rememberDead {
		delete(s.dead, s.past[0])
		s.past = s.past[1:]
	}
}

// forget drops what the transport holds of sessions that were not used for longest.
func (h *HTTPHandler) forget() {
	for _, id := range h.sessions.takeOld() {
		r, err := http.NewRequest(http.MethodDelete, "http://localhost/mcp", nil)
		if err != nil {
			return
		}
		r.Header.Set(server.HeaderKeySessionID, id)
		h.transport.ServeHTTP(&nowhere{header: http.Header{}}, r)
	}
}

// nowhere is the writer of a response that nobody reads.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n *nowhere) WriteHeader(int)             {}

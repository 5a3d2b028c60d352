package mcpserver

import (
	lru "container/list"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"parley"
)

// sessions accepts every session id of the right form, so that sessions survive a restart
// of the daemon: agents do not always begin a new session when theirs is gone. Only the
// sessions that clients end are dead; the transport's own sweeping, which calls Terminate,
// ends nothing.
//
// A session belongs to the caller that used it first: to others, its id is worth nothing.
type sessions struct {
	form server.StatelessGeneratingSessionIdManager

	mu     sync.Mutex
	dead   map[string]bool
	past   []string                // the dead sessions, oldest first
	used   map[string]*lru.Element // the sessions of which the transport may hold something, by id
	owners map[string]*lru.List    // the same, by the id of their caller, each list with the last used first
}

// session is one of which the transport may hold something.
type session struct {
	id, owner string
	watch     *watch
	end       context.CancelFunc // ends its stream, if one is open
}

func newSessions() *sessions {
	return &sessions{dead: map[string]bool{}, used: map[string]*lru.Element{}, owners: map[string]*lru.List{}}
}

// maxSessions bounds of how many sessions the transport holds something, above all what a client
// says of itself. A session that is forgotten works on, as after a restart of the daemon.
const maxSessions = 256

// rememberDead bounds the number of dead sessions that are remembered.
const rememberDead = 10_000

// callerOf returns the id of the caller of a request, "" without a credential.
func callerOf(r *http.Request) string { return parley.CallerFrom(r.Context()).ID }

// ResolveSessionIdManager implements server.SessionIdManagerResolver. The library has no request when it closes.
func (s *sessions) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return ownSessions{sessions: s}
	}
	return ownSessions{s, callerOf(r)}
}

// ownSessions is what the library sees of the sessions for one request.
type ownSessions struct {
	*sessions
	owner string
}

// Generate implements server.SessionIdManager.
func (o ownSessions) Generate() string {
	id := o.form.Generate()
	o.belongs(id, o.owner)
	return id
}

// Validate implements server.SessionIdManager.
func (o ownSessions) Validate(id string) (dead bool, err error) { return o.isDead(id) }

// Terminate implements server.SessionIdManager.
func (o ownSessions) Terminate(id string) (notAllowed bool, err error) { return o.form.Terminate(id) }

func (s *sessions) isDead(id string) (bool, error) {
	if _, err := s.form.Validate(id); err != nil {
		return false, fmt.Errorf("check the session id: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead[id], nil
}

// belongs notes the use of a session, and reports whether it is the caller's. One that is not known becomes so.
func (s *sessions) belongs(id, caller string) bool {
	if _, err := s.form.Validate(id); err != nil {
		return true // the library refuses it
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead[id] {
		return true
	}
	if e := s.used[id]; e != nil {
		owner := e.Value.(*session).owner
		if owner == caller {
			s.owners[owner].MoveToFront(e)
		}
		return owner == caller
	}

	if s.owners[caller] == nil {
		s.owners[caller] = lru.New()
	}
	s.used[id] = s.owners[caller].PushFront(&session{id: id, owner: caller, watch: newWatch()})

	return true
}

// watch returns what the client of a session wants to be told of, nil if the session is not known.
func (s *sessions) watch(id string) *watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.used[id]; e != nil {
		return e.Value.(*session).watch
	}
	return nil
}

// stream notes that the stream of a session is open, in place of one that was. end ends it.
func (s *sessions) stream(id, caller string, end context.CancelFunc) (*watch, error) {
	if dead, err := s.isDead(id); err != nil || dead || !s.belongs(id, caller) {
		return nil, errors.New("it is over, or another caller's")
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.used[id]
	if e == nil {
		return nil, errors.New("it is over")
	}
	one := e.Value.(*session)
	if one.end != nil {
		one.end()
	}
	one.end = end

	return one.watch, nil
}

// drop forgets a session. The caller holds s.mu.
func (s *sessions) drop(e *lru.Element) (id string) {
	one := e.Value.(*session)
	if one.end != nil {
		one.end()
	}
	list := s.owners[one.owner]
	list.Remove(e)
	if list.Len() == 0 {
		delete(s.owners, one.owner)
	}
	delete(s.used, one.id)
	return one.id
}

// takeOld returns the sessions beyond maxSessions, and forgets them: first those without a credential, then
// those of the caller that has most, each the one that was not used for longest. So nobody pushes out another's.
func (s *sessions) takeOld() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.used) > maxSessions {
		most := s.owners[""]
		for _, list := range s.owners {
			if s.owners[""] == nil && (most == nil || list.Len() > most.Len()) {
				most = list
			}
		}
		ids = append(ids, s.drop(most.Back()))
	}
	return ids
}

// end remembers that the client has ended a session.
func (s *sessions) end(id string) {
	if _, err := s.form.Validate(id); err != nil {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.dead[id] {
		return
	}

	if e := s.used[id]; e != nil {
		s.drop(e)
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

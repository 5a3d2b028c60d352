package terminal

import (
	"bytes"
	"context"
	"io"
	"slices"
	"time"

	"parley"
	"parley/internal/plainfile"
	"parley/orchestrator/team"
	"parley/program/opencode"
	"parley/program/profile"
	"parley/program/transcript"
	"parley/program/typed"
	"parley/tmux"
)

// beginning says how a launch begins the session of its program.
type beginning struct {
	args    []string       // for the program
	session parley.Session // that the program then has, as far as parley knows it
	resumed bool
}

// begin returns how a program begins its session: with old if that has begun and the program can
// continue it, else with a new one, for which fresh is the id.
func begin(p *profile.Profile, command []string, old parley.Session, fresh string) (beginning, error) {
	id := fresh
	resumes := old.Begun() && p.Session.Resumes() && !p.Session.HasOwnSession(command)
	if resumes {
		id = old.ID
	}

	choose, resume, err := p.Session.Render(id)
	switch {
	case err != nil:
		return beginning{}, err
	case resumes:
		return beginning{resume, parley.Session{ID: id, State: parley.SessionBegun}, true}, nil
	case p.Session.Chooses(command):
		return beginning{choose, parley.Session{ID: id, State: parley.SessionChosen}, false}, nil
	}

	return beginning{}, nil
}

// conversation returns the word of a result for how the program began its session.
func (b beginning) conversation(p *profile.Profile) string {
	switch {
	case b.resumed:
		return parley.ConversationResumed
	case p.Session.Resumes():
		return parley.ConversationNew
	}
	return ""
}

// sessionEvery is the least time between two looks at the open files of a program, which list all
// processes.
const sessionEvery = 3 * time.Second

// followSession learns the session of a program that has written something since it was last looked
// at. The caller holds m.Changing.
func (w *watcher) followSession(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) error {
	now := w.ts.now()
	if !t.Profile.ShowsSession() || info.Activity.Before(t.SessionLooked) || now.Sub(t.SessionLooked) < sessionEvery {
		return nil
	}

	t.SessionLooked = now
	return w.ts.sessions.learn(ctx, m, t)
}

// learn records the session of a program that tells its id in no other way, if it has begun
// one. t may be nil. The caller holds m.Changing.
func (s *sessions) learn(ctx context.Context, m *team.Member, t *team.Terminal) error {
	if t == nil || !t.Profile.ShowsSession() {
		return nil
	}

	id, ok := s.of(ctx, m, t)
	if !ok {
		return nil
	}

	return s.ts.roster.Records.SetSession(ctx, m, parley.Session{ID: id, State: parley.SessionBegun})
}

// of returns the session of an agent's own program. It is not ok if there is none, or if which of
// several it is cannot be told.
func (s *sessions) of(ctx context.Context, m *team.Member, t *team.Terminal) (id string, ok bool) {
	since := t.Started
	if since.IsZero() {
		since = s.ts.now().Add(-promptsSince)
	}
	id, err := SessionOf(ctx, t, since, s.isTheirs(ctx, m))
	if err != nil {
		s.ts.log.Debug("look for a session in the program's database", "agent", m.Name, "error", err)
	}
	return id, id != ""
}

// SessionOf returns the session of the program in a terminal, by what that keeps open and records: "" if there is none,
// or if which of several it is cannot be told. isTheirs tells by its id whether a message went to that program. What a
// database records is looked at since a time.
func SessionOf(
	ctx context.Context, t *team.Terminal, since time.Time, isTheirs func(messageID string) bool,
) (string, error) {
	if t.Profile.Session.ByMessage {
		prompts, err := promptsOf(ctx, t, since)
		return sessionWith(prompts, isTheirs), err
	}

	paths := ownFiles(t, func(open []string) bool {
		return slices.ContainsFunc(open, func(path string) bool {
			_, is := t.Profile.SessionIn([]string{path})
			return is
		})
	})
	if id, ok := t.Profile.SessionIn(paths); ok {
		return id, nil
	}

	// It keeps the files of earlier ones open.
	var prompts []transcript.Prompt
	for _, path := range paths {
		if id, ok := t.Profile.SessionIn([]string{path}); ok {
			prompts = append(prompts, lastPrompts(path, &t.Profile.Transcript, id)...)
		}
	}
	slices.SortStableFunc(prompts, func(a, b transcript.Prompt) int { return b.At.Compare(a.At) })

	return sessionWith(prompts, isTheirs), nil
}

// maxTail bounds how much of a transcript's end is read for its prompts, in bytes.
const maxTail = 1 << 20

// lastPrompts returns the prompts at the end of a session's transcript.
func lastPrompts(path string, form *transcript.Format, session string) (prompts []transcript.Prompt) {
	f, _, err := plainfile.Open(path) // an agent can put anything there
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxTail {
		_, err = f.Seek(-maxTail, io.SeekEnd) // the first line may be cut: then it is none
		if err != nil {
			return nil
		}
	}

	tail, _ := io.ReadAll(io.LimitReader(f, maxTail)) // what was read counts
	for line := range bytes.Lines(tail) {
		if p, ok := form.Prompt(line); ok {
			p.Session = session
			prompts = append(prompts, p)
		}
	}

	return prompts
}

// ownFiles returns the files that processes of an agent's own program hold open, as far as has is true of
// those of one process.
func ownFiles(t *team.Terminal, has func(open []string) bool) (paths []string) {
	pids, err := tmux.Descendants(t.PID)
	if err != nil {
		return nil
	}
	for _, pid := range append(pids, t.PID) {
		if open := tmux.OpenFiles(pid); has(open) && t.IsOwnProcess(pid) {
			paths = append(paths, open...)
		}
	}
	return paths
}

// promptsSince is how far back prompts are looked at if it is not known when the program was started.
const promptsSince = 24 * time.Hour

// promptsOf returns the newest prompts in the database that the program in a terminal holds open.
func promptsOf(ctx context.Context, t *team.Terminal, since time.Time) ([]transcript.Prompt, error) {
	paths := ownFiles(t, func(open []string) bool { return slices.ContainsFunc(open, t.Profile.IsTranscript) })
	i := slices.IndexFunc(paths, t.Profile.IsTranscript)
	if i < 0 {
		return nil, nil
	}
	return opencode.Prompts(ctx, paths[i], since)
}

// isTheirs returns what tells whether a message was sent to a member.
func (s *sessions) isTheirs(ctx context.Context, m *team.Member) func(messageID string) bool {
	return func(messageID string) bool {
		_, deliveries, err := s.ts.store.Messages.Message(ctx, messageID)
		return err == nil && slices.ContainsFunc(deliveries,
			func(d parley.Delivery) bool { return d.RecipientID == m.ID })
	}
}

// sessionWith returns the session that was given the newest message of the agent's. The newest prompt comes
// first. It is "" if there is none, or if several have that message, as after a fork.
func sessionWith(prompts []transcript.Prompt, isTheirs func(messageID string) bool) (id string) {
	has := func(p transcript.Prompt, messageID string) bool {
		return slices.ContainsFunc(typed.Find(p.Text), func(m typed.Message) bool { return m.ID == messageID })
	}
	for _, p := range prompts {
		for _, m := range typed.Find(p.Text) {
			if m.ID == "" || !isTheirs(m.ID) {
				continue
			}
			elsewhere := slices.ContainsFunc(prompts, func(other transcript.Prompt) bool {
				return other.Session != p.Session && has(other, m.ID)
			})
			if elsewhere || !parley.IsSessionID(p.Session) {
				return ""
			}
			return p.Session
		}
	}
	return ""
}

// refusesSession records that a program has ended when it was to continue its session. It returns
// whether that is so.
func (w *watcher) refusesSession(ctx context.Context, m *team.Member, t *team.Terminal, failed bool) (bool, error) {
	a := m.Agent()
	if a.State == parley.StateExited && a.Session.State == parley.SessionRefused {
		return true, nil // it is recorded already
	}
	if !t.Resumed || !failed || a.State != parley.StateStarting {
		return false, nil
	}
	refused := parley.Session{ID: a.Session.ID, State: parley.SessionRefused}
	return true, w.ts.roster.Records.SetSession(ctx, m, refused)
}

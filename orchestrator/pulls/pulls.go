// Package pulls opens pull requests for the branches of agents, by the user's own gh or glab, and tells the agents of
// failing checks and of what reviewers write. It keeps no token, and runs one program at a time.
package pulls

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/orchestrator/worktree"
	"parley/plain"
)

// Options are the parts of a Watcher.
type Options struct {
	Roster   *team.Roster
	Settings *settings.Settings
	Dir      string // where gh and glab run
	// Notify sends a notice to an agent, once for each key.
	Notify func(ctx context.Context, to *team.Member, text, key string) error
	Now    func() time.Time
	Log    *slog.Logger
}

const (
	mostPatience = 10
	// mostAnHour bounds the messages about one pull request. An agent that answers there reads its own answer.
	mostAnHour = 12
	// mostSeen is how many checks and comments are remembered as told. A look brings some 300 at most.
	mostSeen = 2000
)

// Watcher opens pull requests and looks at those that are open. Its methods may be called concurrently.
type Watcher struct {
	Options
	woken chan struct{}

	mu   sync.Mutex // held while a program runs
	next map[string]turn
}

// turn says when a pull request is looked at next.
type turn struct {
	at    time.Time
	every time.Duration
}

// New returns a watcher that looks at nothing before Run.
func New(o Options) *Watcher {
	return &Watcher{Options: o, woken: make(chan struct{}, 1), next: map[string]turn{}}
}

// Open pushes the branch of a member's worktree and opens its pull request, unless there is one, and has the member
// told of it from then on.
func (w *Watcher) Open(
	ctx context.Context, m *team.Member, tree *parley.Worktree, req parley.OpenPullRequestRequest,
) (*parley.OpenPullRequestResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := m.Agent()
	res := &parley.OpenPullRequestResult{Answer: parley.OK, AgentID: m.ID, Name: m.Name}
	if req.Stop {
		res.Message = m.Name + " is told of no pull request."
		return res, w.Roster.Records.SetPull(ctx, m, nil)
	}

	b, err := worktree.BranchToPush(ctx, tree)
	if err != nil {
		return nil, err
	}
	t, d, err := w.prepare(ctx, b, tree, req)
	if err != nil {
		return nil, err
	}
	if err := worktree.Push(ctx, tree, b); err != nil {
		return nil, err
	}
	address, opened, err := t.forge().open(ctx, d)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "%s was pushed, and no pull request opened: %w", b.Name, err).
			Suggest("Open it by hand; parley pr %s finds it then.", m.Name)
	}

	p := &parley.PullRequest{URL: address, Branch: b.Name, State: parley.PullOpen, Since: w.Now()}
	if p.Number, err = strconv.Atoi(path.Base(address)); err != nil {
		return nil, fmt.Errorf("%s names no pull request: %q", t.name(), plain.Truncate(plain.CleanLine(address), 99))
	}
	if a.Pull != nil && a.Pull.URL == address && a.Pull.State == parley.PullOpen {
		p.Since, p.Told, p.Checks = a.Pull.Since, a.Pull.Told, a.Pull.Checks
	}
	if err := w.Roster.Records.SetPull(context.WithoutCancel(ctx), m, p); err != nil {
		return nil, err
	}
	w.next[m.ID] = turn{w.Now(), w.Settings.PullRequestEvery}
	w.wake()

	res.Pull, res.Opened = p, opened
	res.Message = said(m.Name, p, opened, b.Dirty)
	return res, nil
}

// said says what was done.
func said(name string, p *parley.PullRequest, opened bool, dirty int) string {
	does := "has the pull request"
	if opened {
		does = "has opened the pull request"
	}
	words := fmt.Sprintf("%s %s #%d: %s. Failing checks and review comments come to it.", name, does, p.Number,
		plain.CleanLine(p.URL))
	if dirty > 0 {
		words += fmt.Sprintf(" %s not committed, and not in it.", plural(dirty, "change"))
	}
	return words
}

// prepare returns the program for a branch, and the pull request that it is to open.
func (w *Watcher) prepare(
	ctx context.Context, b *worktree.Branch, tree *parley.Worktree, req parley.OpenPullRequestRequest,
) (tool, draft, error) {
	at, ok := placeOf(b.URL)
	if !ok {
		return tool{}, draft{}, parley.Errorf(parley.InvalidArgument, "%s is on no host of pull requests", b.Remote).
			Suggest("Point it to one: git -C %s remote set-url %s URL", sh.Word(tree.Repository), sh.Word(b.Remote))
	}
	d := draft{
		branch: b.Name, base: cmp.Or(req.Base, tree.Base), title: cmp.Or(req.Title, b.Commits[0].Subject),
		body: cmp.Or(req.Body, bodyOf(b.Commits)), draft: req.Draft,
	}
	t, err := w.toolFor(ctx, at)
	up, forked := placeOf(b.Upstream)
	if _, is := t.forge().(github); is && forked && up.host == at.host && up != at { // as gh chooses, too
		d.owner, t.place = at.owner, up
	}
	return t, d, err
}

// bodyOf returns what the commits say beside the title.
func bodyOf(commits []worktree.Commit) string {
	body := commits[0].Body
	if len(commits) > 1 {
		for _, c := range commits {
			body += "\n- " + c.Subject
		}
	}
	return strings.TrimSpace(body)
}

func (w *Watcher) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// Run looks at open pull requests until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	for {
		timer := time.NewTimer(w.lookAll(ctx))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-w.woken:
			timer.Stop()
		}
	}
}

// idle is how long nothing is looked at while no pull request is open, unless one is opened.
const idle = time.Hour

// lookAll looks at those whose turn it is, and returns the time until the next one's.
func (w *Watcher) lookAll(ctx context.Context) time.Duration {
	wait := idle
	for _, m := range w.Roster.All() {
		p := m.Agent().Pull
		if p == nil || p.State != parley.PullOpen && p.Told.Next == nil || !w.Roster.Hosts.Here(m) || ctx.Err() != nil {
			continue
		}
		wait = min(wait, w.visit(ctx, m))
	}
	return max(wait, w.Settings.PullRequestEvery/4)
}

// visit looks at the pull request of a member if it is its turn, and returns the time until the next one.
func (w *Watcher) visit(ctx context.Context, m *team.Member) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	t, a := w.next[m.ID], m.Agent()
	if now := w.Now(); a.Pull == nil || now.Before(t.at) {
		return t.at.Sub(now)
	}

	t.every = min(max(t.every, w.Settings.PullRequestEvery)*2, w.Settings.PullRequestEvery*mostPatience)
	if a.State != parley.StateTerminated { // nobody would hear of it
		moves, err := w.look(ctx, m, *a.Pull)
		if err != nil && ctx.Err() == nil {
			w.Log.Warn("look at a pull request", "agent", m.Name, "error", err)
		}
		if moves {
			t.every = w.Settings.PullRequestEvery
		}
	}
	t.at = w.Now().Add(t.every)
	w.next[m.ID] = t
	return t.every
}

// shown is what changes of a pull request while people see it.
type shown struct {
	state    parley.PullState
	checks   string
	readable bool
}

func shownOf(p *parley.PullRequest) shown { return shown{p.State, p.Checks, p.Problem == ""} }

// look reads a pull request, stores what has become of it, and tells its agent what is new. It reports whether
// something goes on there.
func (w *Watcher) look(ctx context.Context, m *team.Member, p parley.PullRequest) (moves bool, err error) {
	if p.Told.Next != nil { // a crash or a pause came between
		return true, w.tell(ctx, m, &p)
	}

	before := shownOf(&p)
	s, err := w.read(ctx, &p)
	if err != nil {
		p.Problem = plain.Truncate(plain.CleanLine(err.Error()), 300)
		if before != shownOf(&p) {
			return false, w.Roster.Records.SetPull(ctx, m, &p)
		}
		return false, nil
	}

	p.Problem, p.Checks, p.State = "", s.checks, s.state
	news := slices.DeleteFunc(s.items, func(it item) bool {
		return slices.Contains(p.Told.Seen, it.id) || !it.at.IsZero() && it.at.Before(p.Since)
	})
	slices.SortStableFunc(news, func(a, b item) int { return a.at.Compare(b.at) })
	old := func(at time.Time) bool { return w.Now().Sub(at) > time.Hour }
	p.Told.At = slices.DeleteFunc(slices.Clone(p.Told.At), old)

	switch {
	case p.State != parley.PullOpen:
		p.Told.Next = &parley.PullNotice{Text: ended(&p, s.by), Seen: []string{string(p.State)}}
	case len(news) > 0 && len(p.Told.At) < mostAnHour:
		p.Told.Next = compose(&p, news, w.Settings.MaxText)
	case before == shownOf(&p):
		return s.runs || len(news) > 0, nil
	}
	if err := w.Roster.Records.SetPull(ctx, m, &p); err != nil || p.Told.Next == nil {
		return true, err
	}
	return true, w.tell(ctx, m, &p)
}

// read asks the program that opened a pull request.
func (w *Watcher) read(ctx context.Context, p *parley.PullRequest) (*seen, error) {
	program, repository := "gh", p.URL
	if before, _, found := strings.Cut(p.URL, "/-/merge_requests/"); found {
		program, repository = "glab", before
	} else if before, _, found := strings.Cut(p.URL, "/pull/"); found {
		repository = before
	}
	at, ok := placeOf(repository)
	if !ok {
		return nil, fmt.Errorf("%q is no pull request", p.URL)
	}
	t := tool{program: cmp.Or(w.Settings.PullRequestCommand, program), dir: w.Dir, place: at}
	return t.forge().look(ctx, p.Number)
}

// tell sends the notice that was stored. Its key is the same after a crash, so that it comes once. Nothing else is
// told before it is there.
func (w *Watcher) tell(ctx context.Context, m *team.Member, p *parley.PullRequest) error {
	key := fmt.Sprintf("pull %s %s %d %d", m.ID, p.URL, p.Since.UnixNano(), p.Told.Number)
	err := w.Notify(ctx, m, p.Told.Next.Text, key)
	if parley.ErrorCode(err) == parley.CommunicationDisabled {
		return nil // later
	}
	if err != nil {
		return err
	}

	told := parley.PullTold{Seen: slices.Concat(p.Told.Seen, p.Told.Next.Seen), Number: p.Told.Number + 1}
	told.Seen = told.Seen[max(0, len(told.Seen)-mostSeen):]
	told.At = append(slices.Clone(p.Told.At), w.Now())
	now := *p
	now.Told = told
	return w.Roster.Records.SetPull(context.WithoutCancel(ctx), m, &now)
}

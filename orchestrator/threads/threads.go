// Package threads has the threads and their members, and the conversations with their holds.
package threads

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Service does the operations on threads: threads, their posts and their participants.
type Service struct {
	Admission *admission.Admission
	Store     *store.Store
	Roster    *team.Roster
	Talk      *talk.Talk
	Now       func() time.Time
	Log       *slog.Logger
}

func (ts *Service) CreateThread(
	ctx context.Context, req parley.CreateThreadRequest,
) (*parley.CreateThreadResult, error) {
	from, err := ts.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	th, names, err := ts.newThread(from, &req)
	if err != nil {
		return nil, err
	}

	participants := slices.Sorted(slices.Values(th.Participants))
	call := store.Call{
		AgentID: from.ID,
		Key:     req.IdempotencyKey,
		Made:    th.ID,
		Asked:   admission.RequestHash("create_thread", th.Title, plain.Clean(req.InitialMessage), participants),
	}
	if earlier, found, err := ts.Store.Idempotency.Called(ctx, call); found || err != nil {
		return ts.threadReceipt(ctx, earlier, err)
	}
	if err := ts.Admission.Pause.RefusePaused(); err != nil {
		return nil, err
	}

	posts, err := ts.openingPosts(ctx, from, &th, names, req.InitialMessage)
	if err != nil {
		return nil, err
	}

	refund, err := ts.Admission.Limits.Charge(from, &admission.Draft{Message: parley.Message{Kind: parley.KindThread}})
	if err != nil {
		return nil, err
	}
	if len(posts) > 1 {
		call.MessageID = posts[1].Message.ID
	}

	stored, first, err := ts.Store.Threads.CreateThread(ctx, th, call, posts...)
	if err != nil || first.Made != th.ID {
		refund()
	} else {
		ts.Roster.Names.Titles.Add(th.ID, th.Title)
	}

	for i := range stored {
		ts.Talk.Memory.Remember(&stored[i], nil)
		ts.Admission.HandOut(&stored[i])
	}

	return ts.threadReceipt(ctx, first, err)
}

// newThread returns the thread to create, and the names of its participants without the
// creator.
func (ts *Service) newThread(
	from *team.Member, req *parley.CreateThreadRequest,
) (th parley.Thread, names []string, err error) {
	th = parley.Thread{
		ID:           team.NewID(),
		Title:        plain.CleanLabel(req.Title),
		CreatorID:    from.ID,
		Participants: []string{from.ID},
	}
	if !plain.Visible(th.Title) {
		return th, nil, parley.Errorf(parley.InvalidArgument, "the title is empty").
			Suggest("Say in a few words what the thread is about.")
	}

	for _, ref := range req.Participants {
		m, err := ts.Roster.Find(ref)
		if err != nil {
			return th, nil, err
		}
		if !slices.Contains(th.Participants, m.ID) {
			th.Participants, names = append(th.Participants, m.ID), append(names, m.Name)
		}
	}

	return th, names, nil
}

// threadReceipt builds the receipt of a new thread, and passes on an error.
func (ts *Service) threadReceipt(
	ctx context.Context, made store.Call, err error,
) (*parley.CreateThreadResult, error) {
	if err != nil {
		return nil, err
	}
	th, err := ts.Roster.Names.Thread(ctx, made.Made)
	return &parley.CreateThreadResult{Answer: parley.OK, Thread: th, InitialMessageID: made.MessageID,
		Message: fmt.Sprintf(
			"Thread %s created with %d participant(s)", parley.Short(th.ID), len(th.Participants),
		)}, err
}

// openingPosts returns the notice that a thread is open, and its creator's first post if there is
// one.
func (ts *Service) openingPosts(
	ctx context.Context, from *team.Member, th *parley.Thread, names []string, initial string,
) ([]store.Post, error) {
	with := ""
	if len(names) > 0 {
		with = " with " + team.ListNames(names)
	}

	text := fmt.Sprintf("%s opened thread %s%s. %s", from.Name, team.ThreadLabel(th), with, howToPost(th))
	about := store.Member{AgentID: from.ID, Status: parley.MemberCreated}
	opened, err := ts.notice(ctx, from, th.ID, text, about, from.ID)
	if err != nil || initial == "" {
		return []store.Post{opened}, err
	}

	first, err := ts.Admission.Prepare(ctx, from, admission.Draft{
		Message: parley.Message{
			Kind:     parley.KindThread,
			ThreadID: th.ID,
			Type:     parley.TypeInformation,
			Priority: parley.PriorityNormal,
			Text:     initial,
		},
		Reach: func(ids []string) ([]store.NewDelivery, error) { return ts.Admission.FirstRungs(ids, from.ID), nil },
	})

	return []store.Post{opened, first}, err
}

// notice returns a post from parley itself about a change of membership by a member. It goes to the
// participants except the agent whose id is except, and to others; not to terminated agents. To store it
// fails with CONVERSATION_HELD if an agent has said too much to one of them.
func (ts *Service) notice(
	ctx context.Context, by *team.Member, threadID, text string, about store.Member, except string, others ...string,
) (store.Post, error) {
	from, err := ts.Roster.System(ctx)
	if err != nil {
		return store.Post{}, err
	}

	post := store.Post{
		Event:  parley.EventThreadUpdated,
		Member: about,
		Message: parley.Message{
			ID:        team.NewID(),
			Kind:      parley.KindNotice,
			Type:      parley.TypeInformation,
			Priority:  parley.PriorityNormal,
			SenderID:  from.ID,
			Sender:    from.Name,
			Text:      text,
			ThreadID:  threadID,
			Timestamp: ts.Now(),
		},
	}

	if about.Status == parley.MemberCreated {
		post.Event = parley.EventThreadCreated
	}

	judge := ts.Talk.Memory.JudgeNotice(by, threadID)
	post.Reach = func(ids []string) ([]store.NewDelivery, error) {
		ds := ts.Admission.FirstRungs(slices.Concat(ids, others), except)
		ds = slices.DeleteFunc(ds, func(d store.NewDelivery) bool { return d.State == parley.DeliveryFailed })
		return ds, judge(ds)
	}

	return post, nil
}

func howToPost(th *parley.Thread) string {
	return fmt.Sprintf("To post there call send_message with thread_id %s.", parley.Short(th.ID))
}

func (ts *Service) ListThreads(
	ctx context.Context, req parley.ListThreadsRequest,
) (*parley.ListThreadsResult, error) {
	me, err := ts.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	only := ""
	if req.Mine {
		only = me.ID
	}

	list, total, err := ts.Store.Threads.List(ctx, only, cmp.Or(req.Limit, 50))
	if err != nil {
		return nil, err
	}

	for i := range list {
		list[i] = ts.Roster.Names.FillInThread(list[i])
	}

	return &parley.ListThreadsResult{Answer: parley.OK, Threads: list, TotalCount: total}, nil
}

func (ts *Service) GetThreadDetails(
	ctx context.Context, req parley.ThreadDetailsRequest,
) (*parley.ThreadDetailsResult, error) {
	th, err := ts.Roster.Names.Thread(ctx, req.ThreadID)
	if err != nil {
		return nil, err
	}
	return &parley.ThreadDetailsResult{Answer: parley.OK, Thread: th, Object: th}, nil
}

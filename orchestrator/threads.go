package orchestrator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// threadService does the operations on threads: threads, their posts and their participants.
type threadService struct {
	admission *admission
	store     *store.Store
	roster    *team.Roster
	talk      *talk.Talk
	now       func() time.Time
	log       *slog.Logger
}

// postToThread admits a message to the thread that the draft names. Only participants and the
// operator may post.
func (a *admission) postToThread(ctx context.Context, from *team.Member, d draft) (store.Appended, error) {
	id := strings.ToLower(strings.TrimSpace(d.message.ThreadID))
	if _, ok := a.roster.Titles.Find(id); !ok {
		th, err := a.store.Thread(ctx, id)
		if err != nil {
			return store.Appended{}, err
		}
		id = th.ID
	}

	operator := parley.CallerFrom(ctx).Operator
	if err := a.talk.LoadThread(ctx, id); err != nil {
		return store.Appended{}, err
	}

	d.message.Kind, d.message.ThreadID = parley.KindThread, id
	d.reach = func(ids []string) ([]store.NewDelivery, error) {
		if !operator && !slices.Contains(ids, from.ID) {
			return nil, team.NotParticipant(from, id)
		}
		return a.firstRungs(ids, from.ID), nil
	}

	return a.admit(ctx, from, d)
}

// firstRungs returns the first deliveries to the agents, except the one whose id is except.
func (a *admission) firstRungs(ids []string, except string) []store.NewDelivery {
	var ds []store.NewDelivery
	for _, id := range ids {
		if m := a.roster.ByID(id); m != nil && id != except {
			ds = append(ds, firstRung(m))
		}
	}
	return ds
}

// CreateThread does op.CreateThread.
func (ts *threadService) CreateThread(
	ctx context.Context, req parley.CreateThreadRequest,
) (*parley.CreateThreadResult, error) {
	from, err := ts.roster.Caller(ctx)
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
		Asked:   requestHash("create_thread", th.Title, plain.Clean(req.InitialMessage), participants),
	}
	if earlier, found, err := ts.store.Called(ctx, call); found || err != nil {
		return ts.threadReceipt(ctx, earlier, err)
	}
	if err := ts.admission.RefusePaused(); err != nil {
		return nil, err
	}

	posts, err := ts.openingPosts(ctx, from, &th, names, req.InitialMessage)
	if err != nil {
		return nil, err
	}

	refund, err := ts.admission.limits.charge(from, &draft{message: parley.Message{Kind: parley.KindThread}})
	if err != nil {
		return nil, err
	}
	if len(posts) > 1 {
		call.MessageID = posts[1].Message.ID
	}

	stored, first, err := ts.store.CreateThread(ctx, th, call, posts...)
	if err != nil || first.Made != th.ID {
		refund()
	} else {
		ts.roster.Titles.Add(th.ID, th.Title)
	}

	for i := range stored {
		ts.talk.Remember(&stored[i], nil)
		ts.admission.handOut(&stored[i])
	}

	return ts.threadReceipt(ctx, first, err)
}

// newThread returns the thread to create, and the names of its participants without the
// creator.
func (ts *threadService) newThread(
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
		m, err := ts.roster.Find(ref)
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
func (ts *threadService) threadReceipt(
	ctx context.Context, made store.Call, err error,
) (*parley.CreateThreadResult, error) {
	if err != nil {
		return nil, err
	}
	th, err := ts.roster.Thread(ctx, made.Made)
	return &parley.CreateThreadResult{Answer: parley.OK, Thread: th, InitialMessageID: made.MessageID,
		Message: fmt.Sprintf(
			"Thread %s created with %d participant(s)", parley.Short(th.ID), len(th.Participants),
		)}, err
}

// requestHash returns a hash of a call's parameters.
func requestHash(what ...any) string {
	b, _ := json.Marshal(what) // strings and lists of strings always encode
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// openingPosts returns the notice that a thread is open, and its creator's first post if there is
// one.
func (ts *threadService) openingPosts(
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

	first, err := ts.admission.prepare(ctx, from, draft{
		message: parley.Message{
			Kind:     parley.KindThread,
			ThreadID: th.ID,
			Type:     parley.TypeInformation,
			Priority: parley.PriorityNormal,
			Text:     initial,
		},
		reach: func(ids []string) ([]store.NewDelivery, error) { return ts.admission.firstRungs(ids, from.ID), nil },
	})

	return []store.Post{opened, first}, err
}

// notice returns a post from parley itself about a change of membership by a member. It goes to the
// participants except the agent whose id is except, and to others; not to terminated agents. To store it
// fails with CONVERSATION_HELD if an agent has said too much to one of them.
func (ts *threadService) notice(
	ctx context.Context, by *team.Member, threadID, text string, about store.Member, except string, others ...string,
) (store.Post, error) {
	from, err := ts.roster.System(ctx)
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
			Timestamp: ts.now(),
		},
	}

	if about.Status == parley.MemberCreated {
		post.Event = parley.EventThreadCreated
	}

	judge := ts.talk.JudgeNotice(by, threadID)
	post.Reach = func(ids []string) ([]store.NewDelivery, error) {
		ds := ts.admission.firstRungs(slices.Concat(ids, others), except)
		ds = slices.DeleteFunc(ds, func(d store.NewDelivery) bool { return d.State == parley.DeliveryFailed })
		return ds, judge(ds)
	}

	return post, nil
}

func howToPost(th *parley.Thread) string {
	return fmt.Sprintf("To post there call send_message with thread_id %s.", parley.Short(th.ID))
}

// ListThreads does op.ListThreads.
func (ts *threadService) ListThreads(
	ctx context.Context, req parley.ListThreadsRequest,
) (*parley.ListThreadsResult, error) {
	me, err := ts.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	only := ""
	if req.Mine {
		only = me.ID
	}

	list, total, err := ts.store.Threads.List(ctx, only, cmp.Or(req.Limit, 50))
	if err != nil {
		return nil, err
	}

	for i := range list {
		list[i] = ts.roster.FillInThread(list[i])
	}

	return &parley.ListThreadsResult{Answer: parley.OK, Threads: list, TotalCount: total}, nil
}

// GetThreadDetails does op.GetThreadDetails.
func (ts *threadService) GetThreadDetails(
	ctx context.Context, req parley.ThreadDetailsRequest,
) (*parley.ThreadDetailsResult, error) {
	th, err := ts.roster.Thread(ctx, req.ThreadID)
	if err != nil {
		return nil, err
	}
	return &parley.ThreadDetailsResult{Answer: parley.OK, Thread: th, Object: th}, nil
}

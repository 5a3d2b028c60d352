package threads

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/store"
)

// membership is a change in the participants of a thread, before it is stored.
type membership struct {
	thread parley.Thread
	by     *team.Member // the caller, whose quota pays for the notice
	who    *team.Member
	status parley.MembershipStatus
	allow  func(participants []string) error
	text   string // of the notice
	except string // id of the agent that gets no notice
}

func (ts *Service) JoinThread(
	ctx context.Context, req parley.JoinThreadRequest,
) (*parley.MembershipResult, error) {
	me, th, err := ts.callerAndThread(ctx, req.ThreadID)
	if err != nil {
		return nil, err
	}

	return ts.changeMembership(ctx, membership{
		thread: th,
		by:     me,
		who:    me,
		status: parley.MemberJoined,
		text:   fmt.Sprintf("%s joined thread %s.", me.Name, team.ThreadLabel(&th)),
	})
}

func (ts *Service) AddParticipant(
	ctx context.Context, req parley.AddParticipantRequest,
) (*parley.MembershipResult, error) {
	me, th, err := ts.callerAndThread(ctx, req.ThreadID)
	if err != nil {
		return nil, err
	}

	who, err := ts.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	operator := parley.CallerFrom(ctx).Operator
	return ts.changeMembership(ctx, membership{
		thread: th,
		by:     me,
		who:    who,
		status: parley.MemberAdded,
		except: me.ID,
		text: fmt.Sprintf("%s added %s to thread %s. %s get_messages with it shows what was said before.",
			me.Name, who.Name, team.ThreadLabel(&th), howToPost(&th)),
		allow: func(ids []string) error {
			if !operator && !slices.Contains(ids, me.ID) {
				return team.NotParticipant(me, th.ID)
			}
			return nil
		},
	})
}

func (ts *Service) RemoveParticipant(
	ctx context.Context, req parley.RemoveParticipantRequest,
) (*parley.MembershipResult, error) {
	me, th, err := ts.callerAndThread(ctx, req.ThreadID)
	if err != nil {
		return nil, err
	}

	who, err := ts.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	short := parley.Short(th.ID)
	switch {
	case who != me && th.CreatorID != me.ID && !parley.CallerFrom(ctx).Operator:
		return nil, parley.Errorf(parley.NotAuthorized, "%s did not create thread %s", me.Name, short).
			Suggest("Ask %s, who did, to remove %s; you may remove yourself.", th.Creator, who.Name)
	case who.ID == th.CreatorID:
		return nil, parley.
			Errorf(parley.InvalidArgument, "%s created thread %s and cannot be removed from it", who.Name, short).
			Suggest("There is nothing to do; the creator of a thread stays in it.")
	}

	c := membership{
		thread: th,
		by:     me,
		who:    who,
		status: parley.MemberRemoved,
		except: me.ID,
		text:   fmt.Sprintf("%s removed %s from thread %s.", me.Name, who.Name, team.ThreadLabel(&th)),
		allow: func(ids []string) error {
			if slices.Contains(ids, who.ID) {
				return nil
			}
			return parley.Errorf(parley.NotAParticipant, "%s does not take part in thread %s", who.Name, short).
				Suggest("There is nothing to do; get_thread_details shows who takes part.")
		},
	}

	if who == me {
		c.status, c.text = parley.MemberLeft, fmt.Sprintf("%s left thread %s.", me.Name, team.ThreadLabel(&th))
	}

	return ts.changeMembership(ctx, c)
}

// callerAndThread returns the caller and the thread of a call that changes the thread. It fails
// while communication is paused.
func (ts *Service) callerAndThread(ctx context.Context, ref string) (*team.Member, parley.Thread, error) {
	me, err := ts.Roster.Caller(ctx)
	if err == nil {
		err = ts.Admission.Pause.RefusePaused()
	}
	if err != nil {
		return nil, parley.Thread{}, err
	}
	th, err := ts.Roster.Names.Thread(ctx, ref)
	return me, th, err
}

// changeMembership stores the change and posts a notice of it to the participants and a removed
// agent. A caller that changes the membership of another agent does not get the notice.
func (ts *Service) changeMembership(ctx context.Context, c membership) (*parley.MembershipResult, error) {
	leave := c.status == parley.MemberRemoved || c.status == parley.MemberLeft
	var others []string
	if c.status == parley.MemberRemoved {
		others = []string{c.who.ID}
	}

	about := store.Member{AgentID: c.who.ID, Status: c.status}
	post, err := ts.notice(ctx, c.by, c.thread.ID, c.text, about, c.except, others...)
	if err != nil {
		return nil, err
	}

	allow := c.allow
	if allow == nil {
		allow = func([]string) error { return nil }
	}

	refund, err := ts.Admission.Limits.Charge(c.by, &admission.Draft{Message: parley.Message{Kind: parley.KindThread}})
	if err != nil {
		return nil, err
	}

	stored, changed, err := ts.Store.Threads.ChangeMembership(ctx, store.Membership{
		ThreadID: c.thread.ID, AgentID: c.who.ID, Leave: leave, Allow: allow, Post: post,
	})
	if err != nil || !changed {
		refund()
	}
	if err != nil {
		return nil, err
	}

	res := &parley.MembershipResult{Answer: parley.OK, Status: c.status, Message: c.text, MessageID: stored.Message.ID}
	if changed {
		ts.Admission.HandOut(&stored)
	} else {
		res.Status, res.MessageID = parley.MemberAlready, ""
		res.Message = fmt.Sprintf("%s takes part in thread %s already.", c.who.Name, team.ThreadLabel(&c.thread))
	}

	res.Thread, err = ts.Roster.Names.Thread(ctx, c.thread.ID)

	return res, err
}

package agents

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/orchestrator/relay"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/program/typed"
	"parley/store"
)

// Handoffs lets other programs go on for agents.
type Handoffs struct {
	*Terminals
	programs   *terminal.Handoffs
	store      *store.Store
	log        *slog.Logger
	inProgress sync.Map // holds the ids of agents
}

// NewHandoffs returns the handoffs of agents with terminals.
func NewHandoffs(ts *Terminals, log *slog.Logger) *Handoffs {
	return &Handoffs{Terminals: ts, programs: terminal.NewHandoffs(ts.Terminals), store: ts.Admission.Store, log: log}
}

func (hs *Handoffs) HandoffAgent(
	ctx context.Context, req parley.HandoffAgentRequest,
) (*parley.HandoffAgentResult, error) {
	host := hs.HostOf(req.Agent)
	if host != "" {
		req.Dir, req.Env = "", nil
	}
	res, err := relay.Across(ctx, hs.Elsewhere, host, op.HandoffAgent, req, hs.handoff)
	if err == nil {
		hs.reachable(host, &res.LaunchAgentResult)
	}
	return res, err
}

func (hs *Handoffs) handoff(
	ctx context.Context, req parley.HandoffAgentRequest,
) (*parley.HandoffAgentResult, error) {
	m, err := hs.programs.Check(ctx, req)
	if err != nil {
		return nil, err
	}
	if _, busy := hs.inProgress.LoadOrStore(m.ID, true); busy {
		return nil, parley.Errorf(parley.AgentUnavailable, "%s is being handed over already", m.Name).
			Suggest("Wait for that: parley agents %s.", m.Name)
	}
	defer hs.inProgress.Delete(m.ID)
	if p := hs.Admission.Pause.Is(); p != nil {
		return nil, parley.Errorf(parley.CommunicationDisabled, "messages are paused, so it cannot be briefed").
			Suggest("Resume them first: parley resume.")
	}

	words, briefed := "", parley.ByRecord
	if !req.Record {
		if words, err = hs.ask(ctx, m, &req); err != nil {
			return nil, err
		}
		if words != "" {
			briefed = parley.ByProgram
		}
	}
	briefing, err := hs.brief(ctx, m, &req, words)
	if err != nil {
		return nil, err
	}
	res, err := hs.programs.HandOff(ctx, req, briefing)
	if err == nil {
		res.Briefed = briefed
	}
	return res, err
}

// resume ends the handoffs that an earlier daemon has begun.
func (hs *Handoffs) resume(ctx context.Context) {
	all, err := hs.store.Agents.Handoffs(ctx)
	for id, h := range all {
		m := hs.Roster.ByID(id)
		if h.Next == nil || m == nil || !hs.Roster.Hosts.Here(m) {
			continue
		}
		by := hs.Roster.Operator()
		if asker := hs.Roster.ByID(h.Next.By); asker != nil {
			if caller, ok := hs.Roster.CallerOf(asker); ok {
				by = caller
			}
		}
		if err := hs.programs.Resume(parley.WithCaller(ctx, by), m, h); err != nil {
			hs.log.Warn("a handoff that was begun did not end well", "agent", m.Name, "error", err)
		}
	}
	if err != nil {
		hs.log.Error("look which handoffs were begun", "error", err)
	}
}

// askText asks the old program to brief the new one.
const askText = `%s is about to go on with your work in your place, as the agent %s and in the same directory. Brief ` +
	`it: answer this message with respond_to_message, in at most %d characters. Say what you were asked, what is done, ` +
	`what is open and what you would do next, with the names of files. Change nothing more.`

// ask asks the program of a member for its own briefing of the next one, and returns that: "" if it cannot, or does not
// in time.
func (hs *Handoffs) ask(ctx context.Context, m *team.Member, req *parley.HandoffAgentRequest) (string, error) {
	if s := m.Agent().State; s != parley.StateIdle && s != parley.StateBusy {
		return "", nil // it could answer nobody
	}
	sent, err := op.SendMessage.Call(ctx, hs.Service, parley.SendMessageRequest{
		To: parley.Names{m.ID}, Text: fmt.Sprintf(askText, req.To, m.Name, hs.Admission.Settings.MaxText/2),
		ContextReference: terminal.AboutHandoff,
	})
	if err != nil {
		return "", err
	}

	words := ""
	waiting, cancel := context.WithTimeout(ctx, time.Duration(req.Wait)*time.Second)
	defer cancel()
	_ = wait.Until(waiting, 200*time.Millisecond, func() (bool, error) {
		if words == "" {
			words, err = hs.answerTo(waiting, sent.MessageID)
		}
		s := m.Agent().State
		return err != nil || !s.Live() || words != "" && s != parley.StateBusy, err // its turn ends first
	})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if words == "" {
		_, err = hs.programs.Withdraw(ctx, m, sent.MessageID, "it was not answered in time")
		return "", err
	}
	return words, nil
}

// answerTo returns the text of the answer to a message, "" as long as there is none.
func (hs *Handoffs) answerTo(ctx context.Context, messageID string) (string, error) {
	_, deliveries, err := hs.store.Messages.Message(ctx, messageID)
	if err != nil || len(deliveries) == 0 || deliveries[0].AnsweredBy == "" {
		return "", err
	}
	answer, _, err := hs.store.Messages.Message(ctx, deliveries[0].AnsweredBy)
	return answer.Text, err
}

// brief returns what the new program of a member is told. words are those of the old one.
func (hs *Handoffs) brief(
	ctx context.Context, m *team.Member, req *parley.HandoffAgentRequest, words string,
) (string, error) {
	a := m.Agent()
	from := a.Profile
	if from == "" {
		from = "another program"
	}
	kept, err := hs.store.Agents.Handoffs(ctx)
	if err != nil {
		return "", err
	}
	introduction := fmt.Sprintf("You go on with the work of %s as the agent %s: its name, messages, open requests and "+
		"directory are yours.", from, m.Name)
	back := kept[m.ID].Of(req.To)
	if back.Session.Begun() && !a.NoResume {
		introduction = fmt.Sprintf("%s went on with your work as the agent %s since %s. It is yours again.", from,
			m.Name, plain.FormatEnd(back.Until))
	} else {
		back.Until = time.Time{}
	}
	if a.Worktree != nil {
		introduction += " You are on the branch " + a.Worktree.Branch + "."
	}
	if req.Text != "" {
		introduction += " " + strings.TrimSpace(req.Text)
	}
	introduction += " Look at the files before you change any."

	asked, err := hs.askedOf(ctx, m, back.Until)
	if err != nil {
		return "", err
	}
	owed, err := hs.owedBy(ctx, m)
	if err != nil {
		return "", err
	}
	typed, said := hs.saidIn(ctx, &a)
	sections := []section{
		{from + " says:", linesOf(words)},
		{"What it was asked, the newest last:", asked},
		{"What was typed there:", typed},
		{"What it said last:", said},
		{"What is to be answered:", owed},
		{"What has changed, by git:", hs.changed(ctx, m)},
	}
	return compose(introduction, sections, hs.Admission.Settings.MaxText), nil
}

// saidAtMost is how many turns of a program's own conversation a briefing has.
const saidAtMost = 40

// saidIn returns what a person typed in the terminal of an agent and what its program said, by the program's own
// transcript. Messages are left out: they are recorded.
func (hs *Handoffs) saidIn(ctx context.Context, a *parley.Agent) (words, said []string) {
	if !a.Session.Begun() || a.Sandboxed() {
		return nil, nil
	}
	for _, turn := range hs.Sessions.Kept.Last(ctx, a.Profile, a.Session.ID, saidAtMost) {
		text := plain.CleanLine(plain.HideSeal(turn.Text, a.Seal))
		switch {
		case text == "" || len(typed.Find(turn.Text)) > 0:
		case turn.Person:
			words = append(words, text)
		default:
			said = append(said, text)
		}
	}
	return words, said[max(0, len(said)-3):]
}

// askedAtMost is how many messages a briefing has of what an agent was asked.
const askedAtMost = 12

// askedOf returns what a member was told last after a time, the newest last. Notices and earlier briefings are left
// out.
func (hs *Handoffs) askedOf(ctx context.Context, m *team.Member, since time.Time) (lines []string, err error) {
	page, err := hs.store.Inbox.Page(ctx, store.InboxQuery{RecipientID: m.ID, Limit: askedAtMost, Since: since})
	for _, item := range page.Items {
		about := item.Message.Kind == parley.KindNotice || item.Message.ContextReference == terminal.AboutHandoff
		if item.Delivery.State.Delivered() && !about { // what waits comes by itself
			msg := hs.Roster.Names.FillIn(&item.Message)
			lines = append(lines, msg.Sender+": "+plain.CleanLine(msg.Text))
		}
	}
	slices.Reverse(lines)
	return lines, err
}

// owedBy returns the requests that a member has to answer.
func (hs *Handoffs) owedBy(ctx context.Context, m *team.Member) (lines []string, err error) {
	owed, err := hs.store.Debts.OwedBy(ctx, m.ID)
	for _, o := range owed {
		msg := hs.Roster.Names.FillIn(&o.Message)
		lines = append(lines,
			fmt.Sprintf("msg %s of %s: %s", parley.Short(msg.ID), msg.Sender, plain.CleanLine(msg.Text)))
	}
	return lines, err
}

// changed returns how the files of a member differ from where it began, as far as git knows.
func (hs *Handoffs) changed(ctx context.Context, m *team.Member) []string {
	diff, err := hs.Worktrees.diff(ctx, parley.DiffAgentRequest{Agent: m.ID, Stat: true})
	if err != nil {
		return nil // no repository, or it is broken: then it says nothing
	}
	return linesOf(diff.Diff)
}

func linesOf(text string) (lines []string) {
	for line := range strings.Lines(plain.Clean(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

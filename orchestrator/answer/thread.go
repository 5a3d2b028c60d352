package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
)

// Speak makes responders answer the posts that the conversation protocol invites them to answer. It
// does not wait for the answers: each becomes a post. A post whose answer the end of the daemon
// prevents stays unanswered, and the operator is told.
func (rs *Responders) Speak(invitations []talk.Invitation) {
	for i := range invitations {
		rs.speak(invitations[i].To, &invitations[i].Post)
	}
}

func (rs *Responders) speak(to *team.Member, post *parley.Message) {
	key := callKey(post, to)
	c, first, err := rs.inflight.begin(key)
	if err != nil || !first {
		return
	}

	go func() {
		defer rs.inflight.end(key, c)

		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer rs.inflight.cancelOnStop(cancel)()

		for paused := true; paused; paused = parley.ErrorCode(c.err) == parley.CommunicationDisabled {
			if c.err = rs.opts.Pause.WaitResumed(ctx); c.err == nil {
				c.reply, c.err = rs.reply(ctx, to, post, false)
			}
		}

		if c.err != nil && ctx.Err() == nil {
			rs.log.Warn("a responder did not answer in a thread", "agent", to.Name, "message", post.ID, "error", c.err)
		}
	}()
}

// threadPrompt returns the question to a model about a thread's post: who is there, what
// was said before, and the post. Everything that others said since the model last spoke
// is one turn, because some servers want the turns to alternate.
func (p *prompts) threadPrompt(ctx context.Context, q *question) (parley.ModelQuestion, error) {
	prompt := newPrompt(q.config)
	th, err := p.opts.Roster.Names.Thread(ctx, q.msg.ThreadID)
	if err != nil {
		return prompt, err
	}
	if !slices.Contains(th.Participants, q.to.ID) {
		return prompt, hasLeft(q.to, &th)
	}

	posts, err := p.opts.Store.Responders.RecallThread(ctx, q.to.ID, th.ID, q.msg.ID, q.config.Additional.History())
	if err != nil {
		return prompt, err
	}

	prompt.System = strings.TrimSpace(prompt.System + "\n\n" + p.threadBriefing(q.to, &th))
	for i := range posts {
		post := p.opts.Roster.Names.FillIn(&posts[i])
		if post.SenderID == q.to.ID {
			prompt.Turns = append(prompt.Turns, parley.ModelTurn{Mine: true, Text: post.Text})
			continue
		}
		prompt.Turns = appendOthers(prompt.Turns, post.Sender+": "+post.Text)
	}

	text := q.from.Name + ": " + q.msg.Text
	if form := q.config.Additional.PromptFormat; form != "" {
		text = fillForm(form, q.from.Name, q.msg.Text)
	}

	prompt.Turns = appendOthers(prompt.Turns, text)

	return prompt, nil
}

// appendOthers adds what another said to the turns. Two such turns in a row become one.
func appendOthers(turns []parley.ModelTurn, text string) []parley.ModelTurn {
	if n := len(turns); n > 0 && !turns[n-1].Mine {
		turns[n-1].Text += "\n\n" + text
		return turns
	}
	return append(turns, parley.ModelTurn{Text: text})
}

// hasLeft is the error of a responder that has left the thread of a post.
func hasLeft(to *team.Member, th *parley.Thread) *parley.Error {
	return parley.NoModelAnswer(parley.ModelCancelled,
		"%s takes no part in thread %s any more", to.Name, parley.Short(th.ID)).
		Suggest("Add it again with add_participant_to_thread.")
}

// threadBriefing tells a model how to talk in a thread: the interaction rules that
// launched agents are told, in its words.
func (p *prompts) threadBriefing(to *team.Member, th *parley.Thread) string {
	var others []string
	for _, id := range th.Participants {
		if m := p.opts.Roster.ByID(id); m != nil && m != to {
			who := m.Name
			if m.Kind == parley.KindHuman {
				who += " (a person)"
			} else if role := m.Agent().Role; role != "" {
				who += " (" + role + ")"
			}

			others = append(others, who)
		}
	}

	return fmt.Sprintf(
		`You are %s, in a thread called "%s" with %s. What others say begins with their name. `+
			`Write only your own message, without your name before it. `+
			`Among agents: `+parley.InteractionRules,
		to.Name,
		parley.ShownTitle(th.Title),
		team.ListNames(others),
	)
}

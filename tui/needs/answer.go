package needs

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// answerable reports whether the need is a dialog that can be answered from here.
func (n *need) answerable() bool {
	d := n.Dialog
	return n.Kind == parley.NeedDialog && d != nil && !d.Secret && (len(d.Options) > 0 || d.TakesText)
}

// Answering is what the list of needs does while a dialog is answered from it.
type Answering struct{ *Screen }

// openQuestion lets the next keys answer the dialog of a need, as it is shown now.
func (n Answering) openQuestion(x *need) tea.Cmd {
	n.Question = &room.Question{AgentID: x.AgentID, Agent: kit.SafeLine(x.Agent), Dialog: x.Dialog}
	n.mark(n.index())
	return nil
}

// AnswerKeys returns the keys while a question waits for its answer.
func (n Answering) AnswerKeys() []kit.Binding {
	return []kit.Binding{
		verb.Choose.To("choose that option", n.answerPressed).Hinted("choose"),
		verb.Reply.To("answer with words, where it takes them", n.answerWithWords).Hinted("words"),
		verb.SendKeys.To("send keys, beside its options", n.keysBesideOptions).Hinted("keys"),
		verb.Attach.To("attach to the agent's terminal", n.attachToQuestion).Hinted("attach"),
		verb.Back.To("leave the question open", n.leaveQuestion, verb.Leave).Hinted("leave it open"),
	}
}

func (n Answering) leaveQuestion() tea.Cmd {
	n.Question = nil
	n.Tell("Left open.")
	return nil
}

func (n Answering) attachToQuestion() tea.Cmd {
	if n.Question.Names("a") {
		return n.AnswerKey("a")
	}
	n.Question = nil
	return n.Attach()
}

// AnswerKey chooses the option that a key names.
func (n Answering) AnswerKey(key string) tea.Cmd {
	q := n.Question
	i := q.Index(key)
	if i < 0 {
		n.Tell(fmt.Sprintf("%s is no option here; esc leaves the question open.", kit.SafeLine(key)))
		return nil
	}

	o := q.Dialog.Options[i]
	if o.TakesText {
		return n.askWords(o.Choice, o.Label)
	}

	return n.giveAnswer(o.Choice, "")
}

func (n Answering) answerPressed() tea.Cmd { return n.AnswerKey(n.Question.Key) }

// answerWithWords asks for the words of an answer.
func (n Answering) answerWithWords() tea.Cmd {
	if n.Question.Names("r") {
		return n.AnswerKey("r")
	}
	d := n.Question.Dialog
	for _, o := range d.Options {
		if o.TakesText {
			return n.askWords(o.Choice, o.Label)
		}
	}
	if d.TakesText {
		return n.askWords("", "Your answer")
	}
	n.Tell("It takes no words: choose an option.")
	return nil
}

func (n Answering) askWords(choice, label string) tea.Cmd {
	q := n.Question
	return n.AskLine(kit.SafeLine(label), func(text string) tea.Cmd {
		if n.Question != q { // checkQuestion closed it meanwhile
			n.Tell("The question of " + q.Agent + " has changed or was answered. Nothing was sent.")
			return nil
		}
		return n.giveAnswer(choice, text)
	})
}

// giveAnswer sends an answer to the dialog that was seen, and to no other.
func (n Answering) giveAnswer(choice, text string) tea.Cmd {
	q := n.Question
	n.Question = nil
	return n.AnswerDialog(q, choice, text)
}

// checkQuestion closes the open question if the daemon no longer lists it: another one may be open,
// or somebody has answered it.
func (n Answering) checkQuestion() {
	q := n.Question
	if q == nil {
		return
	}
	at := slices.IndexFunc(n.all, func(x need) bool { return x.AgentID == q.AgentID && x.Kind == parley.NeedDialog })
	if at < 0 || n.all[at].Dialog == nil || n.all[at].Dialog.ID != q.Dialog.ID {
		n.Question = nil
		n.Tell("The question of " + q.Agent + " has changed or was answered. Nothing was sent.")
	}
}

// options draws the options of a dialog, with the keys that choose them.
func (n *needDetail) options(x *need, w int) []string {
	if x.Dialog == nil || len(x.Dialog.Options) == 0 {
		return nil
	}

	lines := []string{""}
	for _, o := range x.Dialog.Options {
		label := kit.SafeLine(o.Label)
		if o.Label == o.Choice {
			label = ""
		}
		if o.TakesText {
			label += " …"
		}
		label = room.Tick(o) + label
		key := kit.Pad(kit.SafeLine(o.Choice), 2)
		lines = append(lines, "  "+n.Theme.Accent.Render(key)+" "+kit.Fit(label, w-kit.Width(key)-3))
	}

	return append(lines, n.hintsOf(x.Dialog, w)...)
}

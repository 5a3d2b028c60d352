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

// answering answers the dialog of a need from the list.
type answering struct {
	room     *room.Shared
	acts     *room.Actions
	list     *needList
	Question *room.Question // takes the keys; nil: none does
}

// open lets the next keys answer the dialog of a need, as it is shown now.
func (n *answering) open(x *need) tea.Cmd {
	n.Question = &room.Question{AgentID: x.AgentID, Agent: kit.SafeLine(x.Agent), Dialog: x.Dialog}
	n.list.mark(n.list.index())
	return nil
}

// Keys returns the keys while a question waits for its answer.
func (n *answering) Keys() []kit.Binding {
	return []kit.Binding{
		verb.Choose.To("choose that option", n.answerPressed).Hinted("choose"),
		verb.Reply.To("answer with words, where it takes them", n.answerWithWords).Hinted("words"),
		verb.SendKeys.To("send keys instead of an option", n.keysBesideOptions).Hinted("keys"),
		verb.Attach.To("attach to the agent's terminal", n.attachToQuestion).Hinted("attach"),
		verb.Back.To("leave the question open", n.leaveQuestion, verb.Leave).Hinted("leave it open"),
	}
}

func (n *answering) leaveQuestion() tea.Cmd {
	n.Question = nil
	n.room.Tell("Left open.")
	return nil
}

func (n *answering) attachToQuestion() tea.Cmd {
	if n.Question.Names("a") {
		return n.Choose("a")
	}
	n.Question = nil
	return n.acts.Attach()
}

// Choose chooses the option that a key names.
func (n *answering) Choose(key string) tea.Cmd {
	q := n.Question
	i := q.Index(key)
	if i < 0 {
		n.room.Tell(fmt.Sprintf("%s is no option here; esc leaves the question open.", kit.SafeLine(key)))
		return nil
	}

	o := q.Dialog.Options[i]
	if o.TakesText {
		return n.askWords(o.Choice, o.Label)
	}

	return n.giveAnswer(o.Choice, "")
}

func (n *answering) answerPressed() tea.Cmd { return n.Choose(n.Question.Key) }

func (n *answering) answerWithWords() tea.Cmd {
	if n.Question.Names("r") {
		return n.Choose("r")
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
	n.room.Tell("It takes no words: choose an option.")
	return nil
}

func (n *answering) askWords(choice, label string) tea.Cmd {
	q := n.Question
	return n.room.Keys.AskLine(kit.SafeLine(label), func(text string) tea.Cmd {
		if n.Question != q { // checkQuestion closed it meanwhile
			n.room.Tell("The question of " + q.Agent + " has changed or was answered. Nothing was sent.")
			return nil
		}
		return n.giveAnswer(choice, text)
	})
}

// giveAnswer sends an answer to the dialog that was seen, and to no other.
func (n *answering) giveAnswer(choice, text string) tea.Cmd {
	q := n.Question
	n.Question = nil
	return n.acts.AnswerDialog(q, choice, text)
}

// checkQuestion closes the open question if the daemon no longer lists it: another one may be open,
// or somebody has answered it.
func (n *answering) checkQuestion() {
	q := n.Question
	if q == nil {
		return
	}
	at := slices.IndexFunc(n.list.all, func(x need) bool {
		return x.AgentID == q.AgentID &&
			x.Kind == parley.NeedDialog
	})
	if at < 0 || n.list.all[at].Dialog == nil || n.list.all[at].Dialog.ID != q.Dialog.ID {
		n.Question = nil
		n.room.Tell("The question of " + q.Agent + " has changed or was answered. Nothing was sent.")
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
		lines = append(lines, "  "+n.room.Theme.Accent.Render(key)+" "+kit.Fit(label, w-kit.Width(key)-3))
	}

	return append(lines, n.hintsOf(x.Dialog, w)...)
}

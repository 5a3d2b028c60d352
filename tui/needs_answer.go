package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// answerable reports whether the need is a dialog that can be answered from here.
func (n *need) answerable() bool {
	d := n.Dialog
	return n.Kind == parley.NeedDialog && d != nil && !d.Secret && (len(d.Options) > 0 || d.TakesText)
}

// answering is what the list of needs does while a dialog is answered from it.
type answering struct{ *needs }

// openQuestion lets the next keys answer the dialog of a need, as it is shown now.
func (n answering) openQuestion(x *need) tea.Cmd {
	n.question = &question{agentID: x.AgentID, agent: safeLine(x.Agent), dialog: x.Dialog}
	n.mark(n.index())
	return nil
}

func (n answering) answerKeys() []binding {
	options := bind("1–9", "choose that option", n.answerPressed).hinted("choose")
	options.keys = strings.Split("123456789", "")
	return []binding{
		options,
		bind("t", "answer with words, where it takes them", n.answerWithWords).hinted("words"),
		bind("a", "attach to the agent's terminal", n.attachToQuestion).hinted("attach"),
		bind("esc", "leave the question open", n.leaveQuestion, "ctrl+c").hinted("leave it open"),
	}
}

func (n answering) leaveQuestion() tea.Cmd {
	n.question = nil
	n.tell("Left open.")
	return nil
}

func (n answering) attachToQuestion() tea.Cmd {
	if n.question.names("a") {
		return n.answerKey("a")
	}
	n.question = nil
	return n.attach()
}

// answerKey chooses the option that a key names.
func (n answering) answerKey(key string) tea.Cmd {
	q := n.question
	i := q.index(key)
	if i < 0 {
		n.tell(fmt.Sprintf("%s is no option here; esc leaves the question open.", safeLine(key)))
		return nil
	}

	o := q.dialog.Options[i]
	if o.TakesText {
		return n.askWords(o.Choice, o.Label)
	}

	return n.giveAnswer(o.Choice, "")
}

func (n answering) answerPressed() tea.Cmd { return n.answerKey(n.question.key) }

// answerWithWords asks for the words of an answer.
func (n answering) answerWithWords() tea.Cmd {
	if n.question.names("t") {
		return n.answerKey("t")
	}
	d := n.question.dialog
	for _, o := range d.Options {
		if o.TakesText {
			return n.askWords(o.Choice, o.Label)
		}
	}
	if d.TakesText {
		return n.askWords("", "Your answer")
	}
	n.tell("It takes no words: choose an option.")
	return nil
}

func (n answering) askWords(choice, label string) tea.Cmd {
	q := n.question
	return n.askLine(safeLine(label), func(text string) tea.Cmd {
		if n.question != q { // checkQuestion closed it meanwhile
			n.tell("The question of " + q.agent + " has changed or was answered. Nothing was sent.")
			return nil
		}
		return n.giveAnswer(choice, text)
	})
}

// giveAnswer sends an answer to the dialog that was seen, and to no other.
func (n answering) giveAnswer(choice, text string) tea.Cmd {
	q := n.question
	n.question = nil
	return n.answerDialog(q, choice, text)
}

// checkQuestion closes the open question if the daemon no longer lists it: another one may be open,
// or somebody has answered it.
func (n answering) checkQuestion() {
	q := n.question
	if q == nil {
		return
	}
	at := slices.IndexFunc(n.list, func(x need) bool { return x.AgentID == q.agentID && x.Kind == parley.NeedDialog })
	if at < 0 || n.list[at].Dialog == nil || n.list[at].Dialog.ID != q.dialog.ID {
		n.question = nil
		n.tell("The question of " + q.agent + " has changed or was answered. Nothing was sent.")
	}
}

// options draws the options of a dialog, with the keys that choose them.
func (n *needDetail) options(x *need, w int) []string {
	if x.Dialog == nil || len(x.Dialog.Options) == 0 {
		return nil
	}

	lines := []string{""}
	for _, o := range x.Dialog.Options {
		label := safeLine(o.Label)
		if o.Label == o.Choice {
			label = ""
		}
		if o.TakesText {
			label += " …"
		}
		key := pad(safeLine(o.Choice), 2)
		lines = append(lines, "  "+n.theme.accent.Render(key)+" "+fit(label, w-width(key)-3))
	}

	return lines
}

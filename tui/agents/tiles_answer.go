package agents

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// optionAt returns the option that a digit chooses: the one that the digit names, or, where
// options have letters, the one that has the digit.
func optionAt(d *parley.Dialog, key string) (parley.DialogOption, bool) {
	named := func(o parley.DialogOption) bool { return o.Choice == key }
	if i := slices.IndexFunc(d.Options, named); i >= 0 {
		return d.Options[i], true
	}
	for i, o := range d.Options {
		if digitOf(d, i) == key {
			return o, true
		}
	}

	return parley.DialogOption{}, false
}

// digitOf returns the key that chooses the option at a place: its number. Those with letters have the digits that are
// no option's number, in their order.
func digitOf(d *parley.Dialog, i int) string {
	if isNumber(d.Options[i].Choice) {
		return d.Options[i].Choice
	}

	n := 0
	for j := range i + 1 {
		if isNumber(d.Options[j].Choice) {
			continue
		}
		for n++; slices.ContainsFunc(d.Options, func(o parley.DialogOption) bool {
			return o.Choice == strconv.Itoa(n)
		}); n++ {
		}
	}
	return strconv.Itoa(n)
}

func isNumber(choice string) bool {
	_, err := strconv.Atoi(choice)
	return err == nil
}

// tileAnswer answers the question in the tile under the marker.
type tileAnswer struct {
	room    *room.Shared
	acts    *room.Actions
	board   *board
	reading *reading
}

// ready returns the question under the marker if a key may answer it: all of it was seen, for
// long enough. Otherwise it says what to do instead.
func (t tileAnswer) ready() *room.Question {
	a, x := t.room.Team.Find(t.board.sel), t.reading.shots[t.board.sel]
	switch {
	case a == nil:
		t.room.Lacks(room.WhichAgent)
		return nil
	case x.err != nil:
		t.room.Tell("The terminal of " + a.Name + " cannot be read now. Nothing was sent.")
		return nil
	case x.dialog == nil && (x.screen == nil || !x.asked && a.State == parley.StateWaiting):
		t.room.Tell(room.StillReading("what " + a.Name + " asks"))
		return nil
	case x.dialog == nil:
		t.room.Tell(a.Name + " asks nothing. esc leaves the tiles.")
		return nil
	case x.dialog.Secret:
		t.room.Tell(a.Name + " asks for a secret, which parley never types. a attaches.")
		return nil
	case t.room.Do.Now().Sub(x.since) < room.TileRests, t.room.Do.Now().Sub(t.board.moved) < room.TileRests:
		t.room.Tell("The question of " + a.Name + " has just come. Read it, then press the key again.")
		return nil
	case !t.board.zoom && !t.board.fits(t.room.Theme, x.dialog):
		t.board.zoom = true
		t.room.Tell("The question is longer than its tile. Here is all of it: press the key again.")
		return nil
	}

	return &room.Question{AgentID: a.ID, Agent: a.Name, Dialog: x.dialog}
}

// choose gives the answer that a digit chooses.
func (t tileAnswer) choose(digit string) tea.Cmd {
	q := t.ready()
	if q == nil {
		return nil
	}

	o, ok := optionAt(q.Dialog, digit)
	switch {
	case !ok:
		t.room.Tell(fmt.Sprintf("%s is no option of %s: %s.", digit, q.Agent, kit.SafeLine(q.Dialog.Choices())))
		return nil
	case o.TakesText:
		return t.askWords(q, o.Choice, o.Label)
	}

	return t.give(q, o.Choice, "")
}

// give sends an answer. Until the terminal is read again there is nothing to answer: the same question may
// be asked twice, and one key must not answer both.
func (t tileAnswer) give(q *room.Question, choice, text string) tea.Cmd {
	if x, ok := t.reading.shots[q.AgentID]; ok {
		x.dialog, x.asked = nil, false
		t.reading.shots[q.AgentID] = x
	}
	return t.acts.AnswerDialog(q, choice, text)
}

// keys looks at the terminal for keys beside the options of its question.
func (t tileAnswer) keys() tea.Cmd {
	if q := t.ready(); q != nil {
		return t.acts.LookForKeys(q.AgentID)
	}
	return nil
}

// askKeys asks which keys the screen that was seen is to get.
func (t tileAnswer) askKeys(msg room.KeyScreenMsg) tea.Cmd {
	a := t.room.Team.Find(msg.AgentID)
	if t.room.Keys.Prompt != nil || a == nil || t.board.sel != msg.AgentID {
		return nil // the person has gone on
	}
	cmd, _ := t.acts.AskKeys(msg, a.Name)
	return cmd
}

// inWords asks for the words of an answer.
func (t tileAnswer) inWords() tea.Cmd {
	q := t.ready()
	if q == nil {
		return nil
	}

	for _, o := range q.Dialog.Options {
		if o.TakesText {
			return t.askWords(q, o.Choice, o.Label)
		}
	}
	if q.Dialog.TakesText {
		return t.askWords(q, "", "Your answer to "+q.Agent)
	}
	t.room.Tell("It takes no words: choose an option.")

	return nil
}

func (t tileAnswer) askWords(q *room.Question, choice, label string) tea.Cmd {
	return t.room.Keys.AskLine(kit.SafeLine(label), func(text string) tea.Cmd { return t.give(q, choice, text) })
}

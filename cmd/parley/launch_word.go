package main

import (
	"bufio"
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
)

// wordless is an agent that was launched with a program of which nobody has said that it takes messages.
type wordless struct {
	c       launches
	agent   string
	warning string
}

// wordPatience is how long the word is given again to a program whose screen changes under it.
const wordPatience = 10 * time.Second

// wordChoice is the option by which the operator says that what reads a terminal takes messages.
const wordChoice = "messages"

// ask asks at a terminal whether the program takes messages; Enter says no. A program that does not read its terminal
// soon, or whose word is not the caller's to give, leaves the warning.
func (w wordless) ask(ctx context.Context) error {
	a := &answering{c: w.c.cli, lines: bufio.NewReader(w.c.in)}
	seen := w.look(ctx, a)
	if seen == nil {
		return w.warn()
	}

	line, err := a.ask("%s parley would type them in there. [y/N] ", seen.Question)
	if err != nil {
		return err
	}
	if !strings.EqualFold(line, "y") && !strings.EqualFold(line, "yes") {
		return w.warn()
	}

	ctx, stop := context.WithTimeout(ctx, wordPatience)
	defer stop()
	// What the program draws meanwhile changes the screen, and not what was asked.
	for now := seen; now != nil && now.Question == seen.Question; now = w.look(ctx, a) {
		word := parley.AnswerDialogRequest{Agent: w.agent, Choice: wordChoice, Dialog: now.ID}
		res, err := call[parley.AnswerDialogResult](ctx, w.c.cli, "answer_dialog", word)
		if parley.ErrorCode(err) == parley.DialogChanged {
			continue
		}
		if err != nil {
			return err
		}
		return w.c.printLine(res.Message)
	}
	return w.warn()
}

// look waits for the question whether what reads the terminal takes messages; nil if it does not come.
func (w wordless) look(ctx context.Context, a *answering) (question *parley.Dialog) {
	ctx, stop := context.WithTimeout(ctx, startWatch)
	defer stop()
	_ = wait.Until(ctx, startLook, func() (bool, error) {
		seen, err := a.look(ctx, w.agent)
		if err != nil || seen.Dialog == nil {
			return false, err
		}
		isWord := func(o parley.DialogOption) bool { return o.Choice == wordChoice }
		if slices.ContainsFunc(seen.Dialog.Options, isWord) {
			question = seen.Dialog
		}
		return true, nil
	})
	return question
}

func (w wordless) warn() error {
	return w.c.printLine(w.c.paint(yellow, "warning") + ": " + w.warning)
}

package courier

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// What a person types right after the key may be submitted with our text, where tmux does
// not keep it back (see tmux.Submission): in an adopted pane, and what they paste. Nobody
// could divide the two, but it can be seen afterwards, and said.

// mingled is what was submitted together with a message.
type mingled struct {
	key   store.Key
	words string
}

// mingledWithin is how long a program may take to show what it was given.
const mingledWithin = 2 * time.Second

// apart looks, when a person has pressed a key after the one that submits, what stands
// behind the text now. It says no until the text is seen, but not for long.
func (c *courier) apart(job store.Job, l letter, w way) func(tmux.Screen) bool {
	var patience time.Time
	return func(s tmux.Screen) bool {
		if s.Touched.Unix() < w.since.Unix() { // as up to the key, which was withheld otherwise
			return true
		}

		words, shown := profile.Behind(s.Lines, l.mark)
		if shown && words != "" {
			c.mingled = mingled{job.Key, words}
		}

		now := c.o.Now()
		if patience.IsZero() {
			patience = now.Add(mingledWithin)
		}

		return shown || now.After(patience)
	}
}

// with is the evidence of what was submitted together with a message, if anything.
func (c *courier) with(job store.Job) string {
	if c.mingled.key != job.Key {
		return ""
	}
	return fmt.Sprintf(
		", together with what someone typed right after it: “%s”",
		parley.Truncate(c.mingled.words, parley.PreviewLength),
	)
}

// giveBack tells the operator what of theirs went with a message, so that it is not lost.
func (c *courier) giveBack(ctx context.Context, job store.Job) error {
	if c.mingled.key != job.Key {
		return nil
	}

	text := fmt.Sprintf(
		"What someone typed in the terminal of %s right after the Enter of message %s was submitted with it: “%s”",
		c.m.Name,
		parley.Short(job.Message.ID),
		c.mingled.words,
	)

	err := c.o.Notify(
		ctx,
		[]*team.Member{c.o.Roster.ByName(parley.OperatorName)},
		text,
		nil,
		"mingled/"+c.m.ID+"/"+job.Message.ID,
	)
	if parley.ErrorCode(err) == parley.CommunicationDisabled {
		return nil // the evidence has it
	}

	return err
}

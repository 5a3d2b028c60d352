package tmux

import (
	"context"
	"errors"
	"strings"
)

// Typing is what a person types who looks at a pane elsewhere, whatever it shows.
type Typing struct {
	Owner string // the owner that the pane must have
	On    string // the Instance of the server that the pane is on
	Text  string // comes first, one line
	Keys  []Key
}

// Type types a text as it is, and presses keys. The check and all of them are one line that the server runs without
// interruption. It is refused with the first of the reasons that Submit has.
//
// With an error, whether anything was typed is not known.
func (p *Pane) Type(ctx context.Context, s Typing) (Refusal, string, error) {
	id, joined := p.Target()
	if err := errors.Join(checkPane(id), checkOwner(s.Owner), s.check()); err != nil {
		return NoRefusal, "", err
	}

	d := &delivery{Submission: Submission{Owner: s.Owner, On: s.On}, pane: p, id: id, joined: joined}
	act, cleanup := "", ""
	var buffer Buffer
	if s.Text != "" {
		var err error
		if buffer, err = p.Load(s.Text); err != nil {
			return NoRefusal, "", err
		}
		act, cleanup = "paste-buffer -r -d -b "+buffer.Name+" -t "+id+" ; ", buffer.drop()+" ; "
	}
	for _, key := range s.Keys {
		act += "send-keys -t " + id + " " + string(key) + " ; "
	}

	answer, err := d.ask(ctx, cleanup, func(token string) string {
		load := ""
		if s.Text != "" {
			load = buffer.Load + " ; "
		}
		return load + d.refuseIf(d.guard()) + act + "display-message -p " + quote(token+" yes")
	})
	if s.Text != "" {
		err = errors.Join(err, buffer.removeFile())
	}
	switch {
	case errors.Is(err, ErrNoPane):
		return Gone, "the pane is gone", nil
	case err != nil:
		return NoRefusal, "", err
	}

	refusal, detail := answer.refused(d)
	return refusal, detail, nil
}

// check refuses what could be more than keys: they become words of a command.
func (s *Typing) check() error {
	for _, key := range s.Keys {
		if key == "" || strings.Trim(string(key),
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" ||
			strings.HasPrefix(string(key), "-") {
			return invalid("key %q", key)
		}
	}
	if strings.ContainsAny(s.Text, "\n\t") {
		return invalid("a text of several lines")
	}
	if s.Text != "" {
		return checkText(s.Text)
	}
	return nil
}

package tmux

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Paste pastes a text, framed if the program asked for that, and presses no key. Nothing is guarded or recorded:
// it is for a terminal that the caller alone uses. A dead pane must not be pasted into, see Screen.
func (p *Pane) Paste(ctx context.Context, text string) error {
	if err := errors.Join(p.check(), checkText(text)); err != nil {
		return err
	}
	b, err := p.Load(text)
	if err != nil {
		return err
	}

	_, err = p.server.run(ctx, b.Load, "paste-buffer -p -r -d -b "+b.Name+" -t "+p.id)
	if err = errors.Join(err, b.removeFile()); err != nil {
		return fmt.Errorf("paste into pane %s: %w", p.id, err)
	}
	return nil
}

// TypeUnguarded types the characters of a text one by one. As with Paste, nothing is guarded.
func (p *Pane) TypeUnguarded(ctx context.Context, text string) error {
	return p.send(ctx, "-l -- "+quote(text))
}

// Interrupt is Ctrl-C, with which some programs refuse what they asked. Repeat alone presses it.
const Interrupt Key = "C-c"

// Repeat presses a key, such as BSpace, n times. As with Paste, nothing is guarded.
func (p *Pane) Repeat(ctx context.Context, key Key, n int) error {
	if !pressable.MatchString(string(key)) && key != Interrupt {
		return invalid("key %q", key)
	}
	return p.send(ctx, strings.Join(slices.Repeat([]string{string(key)}, n), " "))
}

// recordable makes a path a part of a shell's word in single quotes, and of a format of tmux.
var recordable = strings.NewReplacer("'", `'\''`, "#", "##")

// Record appends what the program writes from now on to a file.
func (p *Pane) Record(ctx context.Context, file string) error {
	if err := p.check(); err != nil {
		return err
	}
	if _, err := p.server.run(ctx,
		"pipe-pane -t "+p.id+" "+quote("exec cat >>'"+recordable.Replace(file)+"'")); err != nil {
		return fmt.Errorf("record pane %s: %w", p.id, err)
	}
	return nil
}

func (p *Pane) send(ctx context.Context, keys string) error {
	if err := p.check(); err != nil {
		return err
	}
	if _, err := p.server.run(ctx, "send-keys -t "+p.id+" "+keys); err != nil {
		return fmt.Errorf("press keys in pane %s: %w", p.id, err)
	}
	return nil
}

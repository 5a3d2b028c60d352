package tmux

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

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

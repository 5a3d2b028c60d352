package tmux

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The arrow keys, which Press presses like the others of parley.DialogKeys.
const (
	Up    Key = "Up"
	Down  Key = "Down"
	Left  Key = "Left"
	Right Key = "Right"
)

// pressable matches the keys that Press presses: by tmux's names, and single letters and digits.
var pressable = regexp.MustCompile(`^(?:Enter|Up|Down|Left|Right|Home|End|PageUp|PageDown|Tab|BTab|Escape|Space|BSpace|[0-9a-zA-Z])$`)

// Keypress is one key, or one text with or without a key after it, for what a screen shows, and the conditions for it.
type Keypress struct {
	Owner     string    // the owner that the pane must have
	On        string    // the Instance of the server that the pane is on
	Untouched time.Time // a person who views the pane has pressed no key since then, see Submission
	Ahead     time.Time // of a key that does not count, see Submission

	// Screen is what was seen, and its rows From to To-1 must still stand there.
	Screen   Screen
	From, To int

	Key  Key    // "" for only a text
	Text string // is pasted before the key; without control characters, line feeds and tabs too
}

// Press presses a key, or pastes a text. See PressKey.
func (p *Pane) Press(ctx context.Context, s Keypress) (Refusal, string, error) {
	return PressKey(ctx, p, s)
}

// PressKey presses a key, or pastes a text, if the pane still shows what was seen. The check
// and the key are one line that the server runs without interruption. It is refused with
// the first of the reasons that Submit has, or with Changed.
//
// With an error, whether the key was pressed is not known; then look, and do not repeat it.
func PressKey(ctx context.Context, pane Runner, s Keypress) (Refusal, string, error) {
	id, joined := pane.Target()
	if err := s.complete(id); err != nil {
		return NoRefusal, "", err
	}

	d := &delivery{
		Submission: Submission{Owner: s.Owner, On: s.On, Untouched: s.Untouched, Ahead: s.Ahead},
		pane:       pane, id: id, joined: joined,
	}
	var buffer Buffer
	cleanup := ""
	if s.Text != "" {
		var err error
		if buffer, err = pane.Load(s.Text); err != nil {
			return NoRefusal, "", err
		}
		cleanup = buffer.drop() + " ; "
	}

	answer, err := d.ask(ctx, cleanup, func(token string) string { return s.line(d, token, buffer) })
	if s.Text != "" {
		err = errors.Join(err, buffer.removeFile())
	}
	if errors.Is(err, ErrNoPane) {
		return Gone, "the pane is gone", nil
	}
	if err != nil {
		return NoRefusal, "", err
	}

	refusal, detail := answer.refused(d)
	return refusal, detail, nil
}

func (s *Keypress) complete(id string) error {
	if err := checkPane(id); err != nil {
		return err
	}
	if err := checkOwner(s.Owner); err != nil {
		return err
	}

	switch {
	case s.From < 0 || s.To > len(s.Screen.Lines) || s.From >= s.To:
		return invalid("rows %d to %d of a screen of %d", s.From, s.To, len(s.Screen.Lines))
	case (s.Text == "" || s.Key != "") && !pressable.MatchString(string(s.Key)):
		return invalid("key %q", s.Key)
	case strings.ContainsAny(s.Text, "\n\t"):
		return invalid("a text of several lines")
	case s.Text != "":
		return checkText(s.Text)
	}

	return nil
}

func (s *Keypress) line(d *delivery, token string, buffer Buffer) string {
	load := ""
	if s.Text != "" {
		load = buffer.Load + " ; "
	}
	return load + d.refuseIf(d.guard(s.seen()...)) + s.act(d.id, buffer) +
		"display-message -p " + quote(token+" yes")
}

// act returns the commands that type.
func (s *Keypress) act(pane string, buffer Buffer) string {
	act := ""
	if s.Text != "" {
		act = "paste-buffer -p -r -d -b " + buffer.Name + " -t " + pane + " ; "
	}
	if s.Key != "" {
		act += "send-keys -t " + pane + " " + string(s.Key) + " ; "
	}
	return act
}

// seen returns where every row must stand.
func (s *Keypress) seen() []fact {
	var facts []fact
	for i := s.From; i < s.To; i++ {
		if strings.TrimSpace(s.Screen.Lines[i]) == "" {
			continue
		}
		pattern := rowPattern(s.Screen.Lines[i])
		facts = append(facts, fact{"#{C/r:" + pattern + "}", strconv.Itoa(s.firstRow(pattern))})
	}
	return append(facts, fact{"#{alternate_on}", flag(s.Screen.AltScreen)})
}

// firstRow returns the number, from 1, of the first row that a pattern matches: the one that tmux
// finds.
func (s *Keypress) firstRow(pattern string) int {
	re := regexp.MustCompile(pattern)
	return 1 + slices.IndexFunc(s.Screen.Lines, func(line string) bool {
		return re.MatchString(strings.TrimRight(line, " "))
	})
}

// rowPattern returns a regular expression for a row. A point stands for each sign that has a meaning
// to tmux or in the expression.
func rowPattern(row string) string {
	var b strings.Builder
	b.WriteByte('^')
	for _, r := range strings.TrimRight(row, " ") {
		if r < 0x80 && r != ' ' && !plain(byte(r)) {
			r = '.'
		}
		b.WriteRune(r)
	}
	b.WriteByte('$')
	return b.String()
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/sh"
	"parley/internal/wait"
	"parley/orchestrator/sight"
	"parley/program/profile"
	"parley/tmux"
)

// Capture is a screen that was seen while a profile was learned.
type Capture struct {
	Name     string // what it shows
	Screen   tmux.Screen
	State    profile.State
	Composer *string // what is read in its composer; nil: not on the screen
	Plain    *string // the same without the colours
}

// Lesson is a profile that was learned.
type Lesson struct {
	YAML     []byte // as parley.yaml could hold it
	Captures []Capture
	Unknown  []string // what could not be found out, in words
	Result   Result   // of the check with it
}

// resting is how long a screen must not move to count as at rest while a profile is learned, and with it.
const resting = 3 * time.Second

// Learn finds out how a program is typed to, by what its screen shows when something is typed and deleted again. No
// key that submits is pressed. opts has the default profile. It fails if the program's composer is not found; what was
// seen until then is returned too.
func Learn(ctx context.Context, name string, command []string, opts Options) (l Lesson, err error) {
	s := &study{opts: &opts, name: name, command: command}
	if err := s.look(ctx); err != nil {
		return s.lesson(), err
	}
	if err := s.conclude(); err != nil {
		return s.lesson(), err
	}

	l = s.lesson()
	if l.YAML, err = s.keys.YAML(s.name, s.opts.Size(), s.unknown()); err != nil {
		return l, err
	}
	if opts.Profile, err = s.keys.Profile(s.name); err != nil {
		return l, err
	}
	l.Result, err = Run(ctx, opts)

	return l, err
}

// lesson returns what is known so far.
func (s *study) lesson() Lesson {
	l := Lesson{Unknown: s.unknown()}
	p := s.opts.Profile
	if known, err := s.keys.Profile(s.name); err == nil && s.keys.Markers.Composer != "" {
		p = known
	}
	l.Captures = s.captures(p)
	return l
}

// study is a lesson on its way.
type study struct {
	opts    *Options
	name    string
	command []string

	log    string // what the program wrote
	framed bool   // it asks the terminal to frame what is pasted
	sights Sights
	long   tmux.Screen
	keys   profile.Learned
}

// look types into the program what shows where its composer is.
func (s *study) look(ctx context.Context) (err error) {
	stage, err := s.opts.stage(ctx, func(p *tmux.Pane, scratch string) error {
		s.log = filepath.Join(scratch, "output")
		return p.Record(ctx, s.log)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.close(context.WithoutCancel(ctx))) }()

	w := &walk{opts: s.opts, t: stage.terminal(s.opts.Profile)}
	if err := s.see(ctx, w); err != nil {
		return w.explain(ctx, err)
	}
	return nil
}

func (s *study) see(ctx context.Context, w *walk) (err error) {
	rest, err := w.unmoved(ctx, s.opts.Patience)
	if err != nil {
		return err
	}
	if asks := s.opts.Profile.Asks(sight.ScreenOf(rest)); asks.For != "" && !betweenEdges(rest.Lines, asks.Words) {
		if s.opts.Ask == nil {
			return parley.Errorf(parley.InvalidArgument, "it seems to ask for %s: %q", asks.For, asks.Words).
				Suggest("Answer it once in a directory of yours, and give that: --dir")
		}
		attach := w.t.Server.AttachCommand(session)
		if err := s.opts.Ask(fmt.Sprintf("It seems to ask for %s: %q", asks.For, asks.Words), attach); err != nil {
			return err
		}
		if rest, err = w.unmoved(ctx, s.opts.Patience); err != nil {
			return err
		}
	}
	s.sights.Rest = rest
	if other := sight.Reader(w.t.Leader).Args; sh.IsShell(other) {
		return parley.Errorf(parley.InvalidArgument, "%s has the terminal: it would take what is typed for commands",
			other[0]).
			Suggest("Learn a program that takes prompts. What runs shells and editors is launched as generic.")
	}

	if err := w.t.Pane.TypeUnguarded(ctx, Probe); err != nil {
		return err
	}
	if s.sights.Draft, err = w.shows(ctx, Probe); err != nil {
		return err
	}
	if err := s.remove(ctx, w, Probe); err != nil {
		return err
	}

	wrote, err := os.ReadFile(s.log)
	if err != nil {
		return fmt.Errorf("read what the program wrote: %w", err)
	}
	s.framed = bytes.LastIndex(wrote, []byte("\x1b[?2004h")) > bytes.LastIndex(wrote, []byte("\x1b[?2004l"))
	if !s.framed {
		return nil // each line feed of a paste would be an Enter
	}

	if err := w.t.Pane.Paste(ctx, Several); err != nil {
		return err
	}
	if s.sights.Lines, err = w.shows(ctx, "third words"); err != nil {
		return err
	}
	if err := s.remove(ctx, w, Several); err != nil {
		return err
	}
	if err := w.t.Pane.Paste(ctx, longText); err != nil {
		return err
	}
	s.long, err = w.unmoved(ctx, drawn)
	if errors.Is(err, errMoves) {
		err = nil
	}
	return err
}

// remove deletes a text, as a person does, until nothing of it stands where the probe did.
func (s *study) remove(ctx context.Context, w *walk, text string) error {
	f, err := locate(s.sights)
	if err != nil {
		return err
	}
	ok, err := w.erase(ctx, len(text), func(now seen) bool { return !f.begins(now.Lines, text) })
	if err == nil && !ok {
		return unclear("what is typed cannot be deleted")
	}
	return err
}

// screen reads the terminal with its colours.
func (w *walk) screen(ctx context.Context) (tmux.Screen, error) {
	s, err := w.t.Pane.Screen(ctx, tmux.ScreenOptions{Colours: true})
	if err == nil && s.Dead {
		err = errEnded
	}
	return s.WithoutColours(), err
}

var errMoves = errors.New("its screen never rests")

// unmoved waits until the screen shows something and has not moved for some time.
func (w *walk) unmoved(ctx context.Context, patience time.Duration) (s tmux.Screen, err error) {
	var seen string
	var since time.Time
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = wait.Until(limit, lookEvery, func() (bool, error) {
		var err error
		if s, err = w.screen(ctx); err != nil {
			return false, err
		}
		if now := s.Text(); now != seen || since.IsZero() {
			seen, since = now, time.Now()
		}
		return strings.TrimSpace(seen) != "" && time.Since(since) >= resting, nil
	})
	if limit.Err() == nil || ctx.Err() != nil || errors.Is(err, errEnded) {
		return s, err
	}
	if strings.TrimSpace(seen) == "" {
		return s, unclear("it shows nothing")
	}
	return s, parley.Errorf(parley.InvalidArgument, "%w: it still moves after %s", errMoves, patience).
		Suggest("Turn off what moves on it, or use the profile generic.")
}

// shows waits until the screen shows a text, or something else than before in its place, and no longer moves.
func (w *walk) shows(ctx context.Context, text string) (s tmux.Screen, err error) {
	limit, cancel := context.WithTimeout(ctx, drawn)
	defer cancel()
	var before string
	err = wait.Until(limit, 3*lookEvery, func() (bool, error) {
		var err error
		s, err = w.screen(ctx)
		now := s.Text()
		still := now == before
		before = now
		return err == nil && still && strings.Contains(now, text), err
	})
	if limit.Err() != nil && ctx.Err() == nil && !errors.Is(err, errEnded) {
		return s, nil // what was not shown is for the caller to judge
	}
	return s, err
}

// conclude makes a profile of what was seen.
func (s *study) conclude() error {
	k := &s.keys
	*k = profile.Learned{
		Extends: profile.Default, Summary: s.name + ", learned on " + s.opts.Now().UTC().Format(time.DateOnly),
		Command: s.command, OneLine: !s.framed, Key: "Enter",
		ShowWithin: 5 * time.Second, Still: resting,
	}
	if !s.framed {
		k.InlineLines = 1
	}
	if program := profile.ProgramOf(s.command); program != "" && s.name != program {
		k.Programs = []string{program}
	}
	if s.opts.Version != "" {
		k.Tested = []string{s.opts.Version}
	}

	shape, err := FindShape(s.sights)
	if err != nil {
		return err
	}
	k.Markers.Composer, k.Markers.Idle, k.Markers.Cursor = shape.Composer, shape.Idle, shape.Cursor
	p, err := s.keys.Profile(s.name)
	if err != nil {
		return err
	}
	if text, _ := p.Composer(sight.ScreenOf(s.sights.Rest)); text != "" { // no colour tells
		k.Markers.Empty = hintOf(text)
	}
	if s.framed {
		k.Markers.Paste = standIn(p, s.long)
	}
	if text, _ := p.Composer(sight.ScreenOf(s.sights.Lines)); s.framed && !profile.HoldsOnly(text, Several) {
		k.OneLine, k.InlineLines = true, 1 // such as with numbers before its lines
	}

	return nil
}

// hintOf returns the pattern of a hint, which a narrow composer wraps.
func hintOf(text string) string {
	words := strings.Fields(text)
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	return `^` + strings.Join(words, `\s+`) + `\s*`
}

// longText is long enough that programs show something else in its place.
var longText = strings.Repeat(strings.Repeat("words that say nothing ", 5)+"\n", 12) + "end"

// standIn returns the pattern of what a program shows in place of a long paste, "" if it shows the paste.
func standIn(p *profile.Profile, long tmux.Screen) string {
	text, ok := p.Composer(sight.ScreenOf(long))
	text = strings.TrimSpace(text)
	if !ok || text == "" || strings.Contains(text, "\n") || len(text) > 100 || strings.HasSuffix(text, "end") {
		return ""
	}

	// Some begin it with the paste's own words. Those alone stand for nothing.
	own, signs := "words that say nothing", text
	if i := strings.Index(text, own[:5]); i >= 0 {
		end := i
		for end < len(text) && strings.Contains(longText, text[i:end+1]) {
			end++
		}
		signs = text[:i] + "\x00" + text[end:]
	}
	rest := strings.ReplaceAll(signs, "\x00", "")
	if !strings.ContainsFunc(rest, unicode.IsDigit) || !strings.ContainsFunc(rest, unicode.IsLetter) &&
		!strings.Contains(rest, "#") {
		return ""
	}

	pattern := numbers.ReplaceAllString(regexp.QuoteMeta(signs), `\d+`)
	return strings.NewReplacer("\x00", `.*`, " ", `\s+`).Replace(pattern) // a narrow composer wraps it
}

var numbers = regexp.MustCompile(`\d+`)

// unknown says what the walk cannot cause.
func (s *study) unknown() []string {
	all := []string{
		"how it looks while it works: messages wait until its screen has not moved for " + resting.String(),
		"its questions: those that nearly all programs ask in the same way are recognised",
		"its usage limits, errors and sign-in",
		"the key that submits: Enter is assumed",
	}
	if !s.framed {
		all = append(all, "pastes of several lines: it does not ask for them to be framed, so messages are one line")
	} else if s.keys.OneLine {
		all = append(all, "a text of several lines: it is not read as it was pasted, so messages are one line")
	}
	if s.framed && s.keys.Markers.Paste == "" {
		all = append(all, "what it shows in place of a long paste: none was seen")
	}
	return all
}

// captures returns the screens that were seen, as the profile reads them.
func (s *study) captures(p *profile.Profile) (all []Capture) {
	for _, c := range []Capture{
		{Name: "rest", Screen: s.sights.Rest}, {Name: "draft", Screen: s.sights.Draft},
		{Name: "lines", Screen: s.sights.Lines}, {Name: "long", Screen: s.long},
	} {
		if c.Screen.Width == 0 {
			continue
		}
		c.Screen.Lines = slices.Clone(c.Screen.Lines)
		r := p.Read(sight.ScreenOf(c.Screen))
		if c.State = r.Shows; r.Composing {
			c.Composer = &r.Composer
		}
		plain := sight.ScreenOf(c.Screen)
		plain.Colours = nil
		if text, ok := p.Composer(plain); ok {
			c.Plain = &text
		}
		if c.Name == "long" && p.CollapsedOnly(r.Composer) {
			c.Name = "placeholder"
		}
		all = append(all, c)
	}
	return all
}

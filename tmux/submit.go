package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	lookEvery   = 50 * time.Millisecond  // 20 Hz; one look costs the server 75-140 us
	modeEvery   = 100 * time.Millisecond // how often a key that waits for a mode to end is tried
	maxSeq      = 1 << 53                // tmux compares numbers as doubles
	defaultShow = 10 * time.Second
	// Qwen took 5 s to show that it had taken a message.
	defaultTaken = 10 * time.Second
	defaultStuck = 5 * time.Second
)

// Submit types s.Text into the pane and presses s.Key, at most once for each Seq.
//
// The check (alive, takes input, in no mode, owned by s.Owner, Seq not used), the
// paste, and the remembrance of Seq in the pane are one line that the server runs
// without interruption; so are the check, the key and its remembrance. A crash of
// this process, of the client, or a repeated call can therefore neither lose the
// order of these facts nor type twice.
//
// The error is nil when the outcome is certain and complete, whatever Phase it
// reached. With an error Outcome.Phase is what is certain nevertheless, Unknown if
// it is not even known whether the paste happened: ErrDisconnected when the
// connection broke, the cause of ctx when that ended first, ErrUnsafeText and
// ErrInvalid (then Refused), ErrNoBody when tmux could not read the text. After an
// error compare PaneInfo.Seq and Phase, and go on with Resume or with the same Seq.
func (p *Pane) Submit(ctx context.Context, s Submission) (Outcome, error) {
	if err := s.complete(); err != nil {
		return Outcome{Phase: Refused, Detail: err.Error()}, err
	}
	if err := p.check(); err != nil {
		return Outcome{Phase: Refused, Detail: err.Error()}, err
	}
	d := &delivery{pane: p, Submission: s}
	if err := d.run(ctx); err != nil {
		return d.out, fmt.Errorf("type message %d into pane %s (%s): %w", s.Seq, p.id, d.out.Phase, err)
	}
	return d.out, nil
}

// complete checks s and fills in the defaults.
func (s *Submission) complete() error {
	if err := checkOwner(s.Owner); err != nil {
		return err
	}

	if s.On != "" {
		if err := checkOwner(s.On); err != nil {
			return err
		}
	}

	if s.Seq == 0 || s.Seq > maxSeq {
		return invalid("sequence number %d", s.Seq)
	}

	if !s.Resume {
		if err := CheckText(s.Text); err != nil {
			return err
		}
	}

	if s.Key == "" {
		s.Key = Enter
	}
	if s.Key != Enter && s.Key != Tab {
		return invalid("key %q", s.Key)
	}

	setDefault(&s.ShowWithin, defaultShow)
	setDefault(&s.TakenWithin, defaultTaken)
	setDefault(&s.StuckAfter, defaultStuck)

	return nil
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

// delivery is one Submit under way.
type delivery struct {
	Submission
	pane  *Pane
	out   Outcome
	holds bool // a person's keys wait until the text is taken
}

// withheld ends a delivery whose outcome has been filled in.
var errWithheld = errors.New("withheld")

func (d *delivery) withhold(why Refusal, detail string) error {
	d.out.Reason, d.out.Detail = why, detail
	return errWithheld
}

func (d *delivery) run(ctx context.Context) error {
	err := d.begin(ctx)
	for err == nil && d.out.Phase == Pasted {
		err = d.advance(ctx)
	}
	if err == nil && d.Taken != nil {
		err = d.confirm(ctx)
	}
	d.letGo(ctx)
	if errors.Is(err, errWithheld) {
		return nil
	}
	return err
}

// begin gets the text into the pane, or finds that it is there.
func (d *delivery) begin(ctx context.Context) error {
	if d.Resume {
		return d.recall(ctx)
	}
	if err := d.ready(Refused); err != nil {
		return err
	}
	return d.paste(ctx)
}

// recall starts where a crash left off.
func (d *delivery) recall(ctx context.Context) error {
	info, err := d.pane.Info(ctx)
	if errors.Is(err, ErrNoPane) {
		d.out.Phase = Refused
		return d.withhold(Gone, "the pane is gone")
	}

	if err != nil {
		return err
	}

	d.out.Phase = Refused
	switch {
	case info.Owner != d.Owner:
		return d.withhold(Foreign, fmt.Sprintf("the pane is owned by %q", info.Owner))
	case info.Seq != d.Seq:
		return d.withhold(Repeated, fmt.Sprintf("the pane is at message %d", info.Seq))
	case info.Phase == phasePasted:
		d.out.Phase = Pasted
	default:
		d.out.Phase = Entered
		d.out.Again = info.Phase == phaseAgain
	}

	return nil
}

func (d *delivery) ready(phase Phase) error {
	if d.Ready == nil {
		return nil
	}
	if err := d.Ready(); err != nil {
		d.out.Phase = phase
		return d.withhold(NotReady, err.Error())
	}
	return nil
}

// paste runs the first of the two lines. When there is nothing to look for, the key
// is in it.
func (d *delivery) paste(ctx context.Context) error {
	at := phasePasted
	if d.Shown == nil && d.Settle <= 0 {
		at = phaseEntered
	}

	body, err := d.pane.server.load(d.Text)
	if err != nil {
		d.out.Phase = Refused
		return err
	}

	answer, err := d.pane.ask(
		ctx,
		func(token string) string { return d.pasteLine(token, body.command, body.buffer, at) },
	)

	err = errors.Join(err, remove(body.path))
	if err != nil {
		if errors.Is(err, ErrNoBody) || errors.Is(err, ErrNoPane) {
			d.out.Phase = Refused
		}
		return err
	}

	if refusal, detail := answer.refused(d); refusal != NoRefusal {
		d.out.Phase = Refused
		return d.withhold(refusal, detail)
	}

	d.pasted()
	if at == phaseEntered {
		d.entered()
	}

	return nil
}

func (d *delivery) pasted() {
	d.out.Phase, d.out.PastedAt = Pasted, time.Now()
	if d.OnPasted != nil {
		d.OnPasted()
	}
}

func (d *delivery) entered() {
	d.out.Phase, d.out.EnteredAt = Entered, time.Now()
	if d.OnEntered != nil {
		d.OnEntered()
	}
}

// advance looks and presses once; with a person in a mode it waits and leaves the
// phase as it was.
func (d *delivery) advance(ctx context.Context) error {
	if err := d.settle(ctx); err != nil {
		return err
	}
	if err := d.ready(Pasted); err != nil {
		return err
	}

	refusal, detail, err := d.press(ctx, phasePasted, phaseEntered)
	if err != nil {
		return err
	}

	switch refusal {
	case NoRefusal:
		d.entered()
		return nil
	case InMode:
		return d.awaitMode(ctx)
	}

	return d.withhold(refusal, detail)
}

// awaitMode returns when the pane is in no mode any more, or cannot be, or the caller
// is not ready any more.
func (d *delivery) awaitMode(ctx context.Context) error {
	d.out.Reason, d.out.Detail = InMode, "somebody scrolls or chooses in the pane"
	for {
		if err := pause(ctx, modeEvery); err != nil {
			return err
		}

		info, err := d.pane.Info(ctx)
		if errors.Is(err, ErrNoPane) {
			return d.withhold(Gone, "the pane is gone")
		}
		if err != nil {
			return err
		}

		if !info.InMode || info.Dead {
			d.out.Reason, d.out.Detail = NoRefusal, ""
			return nil
		}

		if err := d.ready(Pasted); err != nil {
			return err
		}
	}
}

// settle looks until the text shows and the screen is at rest.
func (d *delivery) settle(ctx context.Context) error {
	if d.Shown == nil && d.Settle <= 0 {
		return nil
	}
	return d.watch(ctx, d.ShowWithin, d.settled())
}

// settled answers Yes when Shown has and the screen is quiet since Settle.
func (d *delivery) settled() func(Screen) Look {
	var last string
	var since time.Time // last is what is seen since then; zero: the text does not show
	return func(s Screen) Look {
		if d.Shown != nil {
			if look := d.Shown(s); look != Yes {
				since = time.Time{}
				return look
			}
		}

		now := time.Now()
		if seen := d.steady(s); since.IsZero() || seen != last {
			last, since = seen, now
		}
		if now.Sub(since) >= d.Settle {
			return Yes
		}

		return Wait
	}
}

func (d *delivery) steady(s Screen) string {
	if d.Steady != nil {
		return d.Steady(s)
	}
	return fmt.Sprint(s.CursorX, s.CursorY, "\n", s.Text())
}

// watch looks until look answers, for so long at most.
func (d *delivery) watch(ctx context.Context, within time.Duration, look func(Screen) Look) error {
	for deadline := time.Now().Add(within); ; {
		screen, err := d.pane.Screen(ctx, d.View)
		if errors.Is(err, ErrNoPane) {
			return d.withhold(Gone, "the pane is gone")
		}
		if err != nil {
			return err
		}

		d.out.Screen = screen.Lines
		if screen.Dead {
			return d.withhold(Dead, "the program has ended")
		}

		switch look(screen) {
		case Yes:
			return nil
		case Stop:
			return d.withhold(Blocked, "something opened in front of the text")
		}

		left := time.Until(deadline)
		if left <= 0 {
			return d.late(within)
		}
		if err := pause(ctx, min(left, lookEvery)); err != nil {
			return err
		}
	}
}

func (d *delivery) late(within time.Duration) error {
	if d.out.Phase == Pasted {
		return d.withhold(NotShown, fmt.Sprintf("the text did not show and come to rest within %v", within))
	}
	return d.withhold(NotTaken, fmt.Sprintf("not seen to be taken within %v", within))
}

// confirm looks until the program has taken the text, and presses again at most
// once when it provably has not.
func (d *delivery) confirm(ctx context.Context) error {
	entered := time.Now()
	var failed error
	err := d.watch(ctx, d.TakenWithin, func(s Screen) Look {
		look := d.Taken(s)
		if look == Wait && d.Stuck != nil && !d.out.Again && time.Since(entered) >= d.StuckAfter && d.Stuck(s) {
			if failed = d.pressAgain(ctx); failed != nil {
				return Stop
			}
		}

		return look
	})
	if failed != nil {
		return failed
	}
	if err == nil {
		d.out.Phase, d.out.TakenAt = Taken, time.Now()
	}

	return err
}

func (d *delivery) pressAgain(ctx context.Context) error {
	if d.Ready != nil && d.Ready() != nil {
		return nil // it may be ready at the next look
	}

	refusal, detail, err := d.press(ctx, phaseEntered, phaseAgain)
	switch {
	case err != nil:
		return err
	case refusal == InMode, refusal == Touched:
		return nil
	case refusal != NoRefusal:
		return d.withhold(refusal, detail)
	}

	d.out.Again = true

	return nil
}

// press runs the second of the two lines: the key, if the pane remembers this
// message at phase from.
func (d *delivery) press(ctx context.Context, from, to string) (Refusal, string, error) {
	answer, err := d.pane.ask(ctx, func(token string) string { return d.keyLine(token, from, to) })
	if err != nil {
		return NoRefusal, "", err
	}
	d.holds = d.holds || answer.holds
	refusal, detail := answer.refused(d)
	return refusal, detail, nil
}

// ask runs a guarded line and reads what it printed.
func (p *Pane) ask(ctx context.Context, compose func(token string) string) (answer, error) {
	r, err := p.server.do(ctx, compose)
	if err != nil {
		return answer{}, err
	}
	return parseAnswer(strings.TrimSpace(r.text))
}

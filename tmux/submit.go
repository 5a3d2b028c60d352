package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	lookFirst = 2 * time.Millisecond  // what a program that waits for input needs to show a text
	lookEvery = 50 * time.Millisecond // 20 Hz; one look costs the server 75-140 us
	maxSeq    = 1 << 53               // tmux compares numbers as doubles
)

// Submit types s.Text into the pane. See the function Submit.
func (p *Pane) Submit(ctx context.Context, s Submission) (Outcome, error) { return Submit(ctx, p, s) }

// Submit types s.Text into the pane and presses s.Key, at most once for each Seq.
//
// The check (alive, takes input, in no mode, owned by s.Owner, Seq not used), the
// paste, and the record of Seq in the pane are one line that the server runs without
// interruption. So are the check, the key and its record. A crash of this process or
// of the client, or a repeated call, can therefore neither lose the order of these
// facts nor type twice.
//
// The error is nil if the outcome is certain and complete, whatever Phase it
// reached. With an error, Outcome.Phase is still certain; it is Unknown if the paste
// may or may not have happened. The errors are ErrDisconnected if the connection
// broke, the cause of ctx if that ended first, ErrUnsafeText and ErrInvalid (then
// Refused), and ErrNoBody if tmux could not read the text. After an error compare
// PaneInfo.Seq and Phase, and go on with Resume or with the same Seq.
func Submit(ctx context.Context, pane Runner, s Submission) (Outcome, error) {
	id, joined := pane.Target()
	err := s.complete()
	if err == nil {
		err = checkPane(id)
	}
	if err != nil {
		return Outcome{Phase: Refused, Detail: err.Error()}, err
	}

	d := &delivery{Submission: s, pane: pane, id: id, joined: joined}
	if err := d.run(ctx); err != nil {
		return d.out, fmt.Errorf("type message %d into pane %s (%s): %w", s.Seq, id, d.out.Phase, err)
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
		if err := checkText(s.Text); err != nil {
			return err
		}
	}

	if s.Key == "" {
		s.Key = Enter
	}
	if s.Key != Enter && s.Key != Tab {
		return invalid("key %q", s.Key)
	}

	return nil
}

// delivery is the state of one Submit.
type delivery struct {
	Submission
	pane     Runner
	id       string
	joined   bool
	out      Outcome
	refused  bool          // a guard has ended a line
	keysWait bool          // a person's keys wait until the text is taken, or may do so
	paused   time.Duration // before the last look
	looked   bool          // once more, since tmux had answered late
}

// errWithheld ends a delivery whose outcome is complete.
var errWithheld = errors.New("withheld")

func (d *delivery) withhold(why Refusal, detail string) error {
	d.out.Reason, d.out.Detail = why, detail
	return errWithheld
}

// run carries out the steps.
func (d *delivery) run(ctx context.Context) error {
	err := d.begin(ctx)
	for err == nil && (d.out.Phase == Pasted || d.Next != nil && d.out.Phase != Taken) {
		err = d.advance(ctx)
	}
	d.out.KeysWait = d.releaseKeys(ctx) != nil
	if errors.Is(err, errWithheld) {
		return nil
	}
	return err
}

// begin pastes the text, or finds it in the pane.
func (d *delivery) begin(ctx context.Context) error {
	if d.Resume {
		return d.resume(ctx)
	}
	if d.Next != nil {
		if step := d.Next(Moment{}); step.Do != Paste {
			d.out.Phase = Refused
			return d.withhold(step.Reason, step.Detail)
		}
	}
	return d.paste(ctx)
}

// lateLook is how old a screen may be as it comes, before another one is looked at for the key: this process, or tmux,
// was stopped meanwhile. Once: a server that always is that slow still gets its key.
const lateLook = 5 * time.Second

// advance looks at the screen, asks for the next step, and carries it out.
func (d *delivery) advance(ctx context.Context) error {
	asked := time.Now()
	screen, err := d.pane.Screen(ctx, d.View)
	late := time.Since(asked) >= lateLook
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
	if !screen.InMode {
		d.out.Reason, d.out.Detail = NoRefusal, ""
	}

	switch step := d.next(Moment{Phase: d.out.Phase, Again: d.out.Again, Screen: screen}); step.Do {
	case Press:
		if late && !d.looked {
			d.looked = true
			return d.pause(ctx, 0)
		}
		return d.press(ctx)
	case Done:
		d.out.Phase = Taken
		return nil
	case Stop:
		return d.withhold(step.Reason, step.Detail)
	default:
		return d.pause(ctx, step.For)
	}
}

// pause waits for the next look. A program may show a text at once, so the looks for that begin close
// together. After the key they do not: what is looked for then is proof, and a frame that is half drawn
// proves nothing. A positive limit is the longest pause.
func (d *delivery) pause(ctx context.Context, limit time.Duration) error {
	d.paused = min(max(lookFirst, 2*d.paused), lookEvery)
	if d.out.Phase != Pasted {
		d.paused = lookEvery
	}
	if limit > 0 {
		return d.pane.Pause(ctx, min(d.paused, limit))
	}
	return d.pane.Pause(ctx, d.paused)
}

// next asks for the next step. Where nobody decides, the key follows the paste.
func (d *delivery) next(m Moment) Step {
	if d.Next == nil {
		return Step{Do: Press}
	}
	return d.Next(m)
}

// press presses the key. While a person is in a mode it waits for the end of that.
func (d *delivery) press(ctx context.Context) error {
	from, to := d.out.PanePhase(), PaneEntered
	if d.out.Phase == Entered {
		to = PaneEnteredAgain
	}

	refusal, detail, err := d.pressKey(ctx, from, to)
	switch {
	case err != nil:
		return err
	case refusal == InMode:
		if d.out.Phase == Pasted {
			d.out.Reason, d.out.Detail = refusal, detail
		}
		return d.pause(ctx, 0)
	case refusal == Touched && d.out.Phase == Entered:
		return d.pause(ctx, 0)
	case refusal != NoRefusal:
		return d.withhold(refusal, detail)
	case d.out.Phase == Entered:
		d.out.Again, d.out.EnteredAt = true, time.Now()
	default:
		d.entered()
	}
	return nil
}

// resume reads from the pane how far the text got before a crash.
func (d *delivery) resume(ctx context.Context) error {
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
	case info.Phase == PanePasted:
		d.out.Phase = Pasted
	default:
		d.out.Phase = Entered
		d.out.Again = info.Phase == PaneEnteredAgain
	}

	return nil
}

// paste runs the first of the two lines. If nobody decides on the key, it contains the
// key.
func (d *delivery) paste(ctx context.Context) error {
	phase := PanePasted
	if d.Next == nil {
		phase = PaneEntered
	}

	buffer, err := d.pane.Load(d.Text)
	if err != nil {
		d.out.Phase = Refused
		return err
	}

	answer, err := d.ask(ctx, buffer.drop()+" ; ",
		func(token string) string { return d.pasteLine(token, buffer, phase) })
	err = errors.Join(err, buffer.removeFile())
	if err != nil {
		if d.refused || errors.Is(err, ErrNoBody) || errors.Is(err, ErrNoPane) {
			d.out.Phase = Refused
		}
		return err
	}

	if refusal, detail := answer.refused(d); refusal != NoRefusal {
		d.out.Phase = Refused
		return d.withhold(refusal, detail)
	}

	d.pasted()
	if phase == PaneEntered {
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
	d.out.Reason, d.out.Detail = NoRefusal, "" // a mode that ended between a look and the key
	if d.OnEntered != nil {
		d.OnEntered()
	}
}

// pressKey runs the second of the two lines: it presses the key and records phase to, if
// the pane's recorded progress is this message at phase from.
func (d *delivery) pressKey(ctx context.Context, from, to string) (Refusal, string, error) {
	answer, err := d.ask(ctx, "", func(token string) string { return d.keyLine(token, from, to) })
	if err != nil {
		d.keysWait = d.Next != nil && !d.joined
		return NoRefusal, "", err
	}
	d.keysWait = d.keysWait || answer.keysWait
	refusal, detail := answer.refused(d)
	return refusal, detail, nil
}

// ask runs a guarded line and parses its output. If the guard refuses, ask runs cleanup and
// asks why.
func (d *delivery) ask(ctx context.Context, cleanup string, compose func(token string) string) (answer, error) {
	text, err := d.pane.Run(ctx, compose)
	if refuses(err) {
		d.refused = true
		text, err = d.pane.Run(ctx, func(token string) string { return d.factsLine(token, cleanup) })
	}
	if err != nil {
		return answer{}, err
	}
	return parseAnswer(strings.TrimSpace(text))
}

// Runner runs command lines for one pane. A Pane is the real one; a simulation can be
// another.
type Runner interface {
	// Target returns tmux's name of the pane, %N, and whether the server is a joined one.
	Target() (id string, joined bool)
	Info(ctx context.Context) (PaneInfo, error)
	Screen(ctx context.Context, opts ScreenOptions) (Screen, error)

	// Load prepares a text for one paste.
	Load(text string) (Buffer, error)
	// Run runs the line that compose makes of a token, without interruption, and returns
	// what it printed behind the token. The line prints the token as its last act. It ends at
	// a command that fails, with a CommandError.
	Run(ctx context.Context, compose func(token string) string) (string, error)

	// Pause waits between two looks at the screen, for d. It returns the cause of ctx if that
	// ends first.
	Pause(ctx context.Context, d time.Duration) error
}

// ReleaseKeys lets keys go to the program that wait for a text typed before: the process that
// would have let them go has ended. It reports whether any could be waiting.
func (p *Pane) ReleaseKeys(ctx context.Context) (waited bool, err error) { return ReleaseKeys(ctx, p) }

// ReleaseKeys is the method of Pane for any runner. On a joined server no keys wait.
func ReleaseKeys(ctx context.Context, pane Runner) (waited bool, err error) {
	id, joined := pane.Target()
	if joined {
		return false, nil
	}
	if err := checkPane(id); err != nil {
		return false, err
	}

	const did = "released"
	said, err := pane.Run(ctx, func(token string) string {
		return "if-shell -F -t " + id + " " + quote("#{"+queueOption+"}") +
			" { set-option -u -t " + id + " " + queueOption + " ; display-message -p " + quote(token+" "+did) +
			" } { display-message -p " + quote(token+" none") + " }"
	})
	return strings.TrimSpace(said) == did, err
}

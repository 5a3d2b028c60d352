package attempt

import (
	"time"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// Typed is a text that parley has put into a terminal, or is about to, and whose fate is open. There is one for each
// message and terminal, from the claim on. While its attempt lasts, attempt says how far it is. What it leaves behind:
//
//   - given: it was entered last, and its program gets no other before it has begun on it;
//   - unread: it was entered, and its program had not read it when the attempt was over;
//   - stranded: nothing proves that the program was given it, and it may stand in the terminal.
//
// It is settled when none of them holds it any more.
type Typed struct {
	store.TypedJob
	On     *team.Terminal
	Letter letter.Letter
	copies      // on the screen at the look before it was typed
	Kept   bool // its program has come to rest with it

	// Doubted is set if its program may have refused it: nothing had shown by then that it is signed in. To be shown
	// proves nothing then, and an answer below it can be one to a later prompt.
	Doubted bool

	// Until its attempt is over.
	collapsed string // what its composer showed in place of it
	inFull    bool   // it was entered, and its composer showed it in its own words then
	beside    string // what stood behind it in its composer at the last look that found it there
	Mixed     string // what a person typed that was submitted with it
	Lingers   bool   // it was entered, and still stood in its composer
	before    int    // keys that were pressed before the last one that submits it
	unsaid    bool   // it left its composer without a report
	beneath   bool   // a dialog opened right after its paste, and no look since the paste has shown it
	Keyless   bool   // it waits for its key
	elsewhere bool   // before its key, it stood above the composer and not in it: a person entered it, or a form has it

	Given
	Stranded

	Mode sight.TTYMode // of the terminal when it was entered unread
	Read time.Time     // since when its program has read its terminal; zero: it has not
}

// Given is what is known of a text that was entered.
type Given struct {
	Entered time.Time // zero: by a daemon before this one
	Taken   bool      // its program took it, as far as could be seen
	Gone    bool      // it was seen to be gone from its composer
	Told    time.Time // when that was concluded
	Queued  bool      // it was, or may have been, entered while its program worked, and may wait in a queue of that

	// Unreported is set while the program, which reports the prompts that it is given,
	// has not reported this one.
	Unreported bool
	Typed      time.Time // a report of it comes after that
	idle       time.Time // the program has looked idle since then; zero: it does not

	// Unshown is set while the program has not shown this message, the first of its session, and
	// drops what comes before that.
	Unshown bool
}

// NewText returns the record of a text in a terminal.
func (m *Memory) NewText(on *team.Terminal) *Typed {
	return &Typed{On: on, Doubted: on.Profile.RefusesWithin > 0 && m.Served != on}
}

// TextOf returns the record of a text that is about to be typed, or, with resumed, to be followed further.
func (m *Memory) TextOf(job *store.Job, on *team.Terminal, l letter.Letter, resumed bool) *Typed {
	if m.Text == nil || m.Text.Key != job.Key || m.Text.On != on {
		m.Text = m.NewText(on)
	}
	m.Text.Job, m.Text.Letter = *job, l
	if !resumed { // a look at one that is typed already, such as one that lingers, finds its own text
		m.Text.copies = m.before
		m.Text.Kept, m.Text.beneath, m.Text.before = false, false, 0
		m.Text.Taken, m.Text.Keyless, m.Text.elsewhere = false, false, false
	}
	return m.Text
}

// Last returns the text that was entered last, an empty one if none was.
func (m *Memory) Last() *Typed {
	if m.Given == nil {
		m.Given = &Typed{}
	}
	return m.Given
}

// Lingers reports whether the text of a message was entered and still stood in its composer when it was left.
func (m *Memory) Lingers(job *store.Job) bool {
	return m.Text != nil && m.Text.Key == job.Key && m.Text.Lingers
}

// ShortID names its message; "" if there is none.
func (x *Typed) ShortID() string { return parley.Short(x.Message.ID) }

// recognises reports whether what stands in the composer is not merely like the text. What a
// program shows in place of a long paste could be of another: after a while in which nobody
// looked it has to be what was there right after ours, or, if nobody saw that, to be as long.
func (x *Typed) recognises(o *sight.Observation) bool {
	switch {
	case profile.Holds(o.Composer, x.Letter.Mark):
		return true
	case x.inFull: // then it does not fold later
		return false
	case x.collapsed != "":
		return x.collapsed == o.Composer
	}
	return profile.Measures(o.Composer, x.Letter.Text)
}

// Memory is what earlier attempts on a terminal leave behind for later ones.
type Memory struct {
	still    team.Stillness // of the screen, for programs without markers
	Cautious bool           // something was refused: look before the next
	Unread   time.Time      // the last time at which something waited unread in its terminal, or may have
	Released time.Time      // until when tmux may have kept keys back for an earlier daemon
	lag      time.Duration  // that the program had in showing the text pasted last
	Behind   bool           // it showed that so late that a question may be open which it has not drawn either
	Served   *team.Terminal // its program has had a turn there, and was not signed out since
	Place    profile.Place  // where the last look would have typed, in a program without markers
	Mute     *team.Terminal // its program shows nothing of what is typed, and the operator has had a key pressed there
	silent   *team.Terminal // its program does not report the messages that it should

	before copies // of the message that was looked at last
	Undone *Typed // the text entered last, if the last look shows that it was taken back
	Text   *Typed // typed last, or being typed; nil: none
	Given  *Typed // entered last; nil: none
}

// copies are how often a screen shows a message. One that is retried may still stand there from the time
// before, which says nothing of this time.
type copies struct {
	mark  string
	n     int
	Above []string // what stood above the composer then; nil if that is not known
}

// of returns how many copies of a message there were, 0 if that is not known.
func (c copies) of(mark string) int {
	if c.mark != mark {
		return 0
	}
	return c.n
}

// followed is what an attempt remembers of its looks after the program has taken the text.
type followed struct {
	since   time.Time // of the looks; zero: it has not
	looked  time.Time // the last of them
	begun   bool      // a turn was seen, or the text above the composer: if nobody looked, that may be refused
	worked  bool      // the program was seen at work
	answers bool      // an answer was seen below the text
	rests   time.Time // since when it rests after that; zero: it does not
	Refusal string    // the cause of a refusal
	idle    bool      // the time is over, and nothing shows that a turn began
}

// Pending reports whether the text has left its composer, and what follows is looked at.
func (f *followed) Pending() bool { return !f.since.IsZero() }

// Attempt is one message on its way into one terminal. It is a machine with a phase, that
// of tmux: nothing typed, pasted, entered. next is its one decision: from an observation to
// the next step. It reads no clock and no terminal, and changes only the attempt and its
// memory, so that it runs in a simulated world as it does here. The courier and tmux carry
// the steps out.
type Attempt struct {
	Text    *Typed
	Way     Way
	Resumed bool // it goes on where an earlier attempt or a crash left it
	Asked   bool // the operator asks for the key of a text that may stand there
	Memory  *Memory

	Pasted   pasted
	Entered  entered
	unread   time.Time  // since when the program has not read its terminal; zero: it has
	Refused  sight.Hold // why it stopped, or why the text did not show, where tmux does not know better
	Followed followed
	Withheld bool // its key was not pressed, as of the last step
	Queued   bool // its key was pressed while the program worked, or may have been
}

// Way is how a message goes into a terminal.
type Way struct {
	By    Passage
	Key   tmux.Key
	Since time.Time // nobody has typed there since then, and nobody may until the key
	Ahead time.Time // of a key pressed before since, whose time is later: the clock was set back after it
	Spent bool      // a budget is used up, and the operator asked for it all the same
}

// Passage is what a message passes on its way.
type Passage int

const (
	passFree  Passage = iota // nothing is in the way
	PassMode                 // copy mode, out of which a person is taken
	PassDraft                // what stands in the composer, which is no draft, as the operator said
	PassLimit                // a usage limit that has ended
	PassBlock                // what blocks the program, as the operator asked
	PassWork                 // the program works, and takes the text into that
	PassQueue                // it works, and takes the text into its queue
)

// Note says for the evidence what a message has passed.
func (p Passage) Note() string {
	return [...]string{
		PassMode:  "",
		PassDraft: " over a text that is no draft, as the operator said",
		PassLimit: " after its usage limit had ended",
		PassBlock: " although it was blocked, as the operator asked",
		PassWork:  " while it worked, as its operator allows",
		PassQueue: " into its own queue while it worked",
	}[p]
}

// Works reports whether the program works.
func (p Passage) Works() bool { return p == PassWork || p == PassQueue }

// past reports whether the program says that it cannot work.
func (p Passage) past() bool { return p == PassLimit || p == PassBlock }

// pasted is what an attempt remembers of its looks between the paste and the key.
type pasted struct {
	first   time.Time // look at the terminal
	began   time.Time // of the time to show: when the text was read, or a person has scrolled
	within  time.Duration
	shown   bool      // the text was seen
	scrolls bool      // the key was refused because a person scrolls
	part    string    // the part of the screen that must rest
	still   time.Time // since when it does; zero: the text does not show
	Where   string    // the text was last seen, of a program without markers
}

// entered is what an attempt remembers of its looks after the key.
type entered struct {
	began     time.Time
	looked    time.Time     // the last look, or the decision for the key
	Named     time.Time     // a report that names the message counts from then
	Mode      sight.TTYMode // of the terminal before the key
	Reporting bool          // the program is expected to report the message
	gone      time.Time     // since when the text is gone from the composer without a report
	still     team.Stillness
	pressed   bool      // the key was pressed here
	hidden    time.Time // since when no composer is on the screen
	changed   time.Time // since when the terminal is read in another mode; zero: it is not
	Stands    bool      // at the last look, the text stood in the composer
	Left      bool      // a look found a composer that it had left
	stood     time.Time // the last look at which it did
	Begun     bool      // the screen has shown the turn of the text, or the text above the composer

	elsewhere bool // another program has had the terminal, and may have read the text
	Touched   bool // somebody has pressed a key since the one that submits, and may have left
	undrawn   bool // keys of somebody were not drawn when the one that submits was decided on
	Unseen    bool // for long, nobody has looked whether somebody presses a key
	Lingering bool // at the last look, the text still stood where somebody typed
	Long      bool // it has done so for long
}

// Stranded is what is known of a text while nothing proves that the program was given it.
type Stranded struct {
	Phase  string    // how far the pane remembers that it got
	pasted time.Time // zero: that is not known
	Stood  bool      // it stood in the terminal at an earlier look
	Left   bool      // its attempt ended with a composer that it had left
	Fate   fate      // at the last look
}

// WasEntered reports whether parley has pressed the key that submits the text.
func (s *Stranded) WasEntered() bool {
	return s.Phase == tmux.PaneEntered || s.Phase == tmux.PaneEnteredAgain
}

// fate is what a look shows of a stranded text.
type fate int

const (
	FateGone      fate = iota
	FateShown          // the program shows it among what it was given
	FateAlone          // it stands in the composer, and nothing else does
	fateMixed          // it stands there with something else
	fateBack           // it stands there again, after the program was given it
	fateHidden         // it may stand in the terminal unseen
	fateElsewhere      // it stands above the composer, and parley never entered it: a form has it, or a person did
	fateUndrawn        // the program may have read it and not drawn it yet
)

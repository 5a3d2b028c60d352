package courier

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

// typed is a text that parley has put into a terminal, or is about to, and whose fate is open. There is one for each
// message and terminal, from the claim on. While its attempt lasts, attempt says how far it is. What it leaves behind:
//
//   - given: it was entered last, and its program gets no other before it has begun on it;
//   - unread: it was entered, and its program had not read it when the attempt was over;
//   - stranded: nothing proves that the program was given it, and it may stand in the terminal.
//
// It is settled when none of them holds it any more.
type typed struct {
	store.TypedJob
	on     *team.Terminal
	letter letter.Letter
	copies      // on the screen at the look before it was typed
	kept   bool // its program has come to rest with it

	// doubted is set if its program may have refused it: nothing had shown by then that it is signed in. To be shown
	// proves nothing then, and an answer below it can be one to a later prompt.
	doubted bool

	// Until its attempt is over.
	collapsed string // what its composer showed in place of it
	inFull    bool   // it was entered, and its composer showed it in its own words then
	beside    string // what stood behind it in its composer at the last look that found it there
	mixed     string // what a person typed that was submitted with it
	lingers   bool   // it was entered, and still stood in its composer
	unsaid    bool   // it left its composer without a report
	beneath   bool   // a dialog opened right after its paste, and no look since the paste has shown it
	keyless   bool   // it waits for its key
	elsewhere bool   // before its key, it stood above the composer and not in it: a person entered it, or a form has it

	given
	stranded

	mode sight.TTYMode // of the terminal when it was entered unread
	read time.Time     // since when its program has read its terminal; zero: it has not
}

// given is what is known of a text that was entered.
type given struct {
	entered time.Time // zero: by a daemon before this one
	taken   bool      // its program took it, as far as could be seen
	gone    bool      // it was seen to be gone from its composer
	told    time.Time // when that was concluded
	queued  bool      // it was, or may have been, entered while its program worked, and may wait in a queue of that

	// unreported is set while the program, which reports the prompts that it is given,
	// has not reported this one.
	unreported bool
	typed      time.Time // a report of it comes after that
	idle       time.Time // the program has looked idle since then; zero: it does not

	// unshown is set while the program has not shown this message, the first of its session, and
	// drops what comes before that.
	unshown bool
}

// newText returns the record of a text in a terminal.
func (m *memory) newText(on *team.Terminal) *typed {
	return &typed{on: on, doubted: on.Profile.RefusesWithin > 0 && m.served != on}
}

// textOf returns the record of a text that is about to be typed, or, with resumed, to be followed further.
func (m *memory) textOf(job *store.Job, on *team.Terminal, l letter.Letter, resumed bool) *typed {
	if m.text == nil || m.text.Key != job.Key || m.text.on != on {
		m.text = m.newText(on)
	}
	m.text.Job, m.text.letter = *job, l
	if !resumed { // a look at one that is typed already, such as one that lingers, finds its own text
		m.text.copies = m.before
		m.text.kept, m.text.beneath = false, false
		m.text.taken, m.text.keyless, m.text.elsewhere = false, false, false
	}
	return m.text
}

// last returns the text that was entered last, an empty one if none was.
func (m *memory) last() *typed {
	if m.given == nil {
		m.given = &typed{}
	}
	return m.given
}

// lingers reports whether the text of a message was entered and still stood in its composer when it was left.
func (m *memory) lingers(job *store.Job) bool {
	return m.text != nil && m.text.Key == job.Key && m.text.lingers
}

// shortID names its message; "" if there is none.
func (x *typed) shortID() string { return parley.Short(x.Message.ID) }

// recognises reports whether what stands in the composer is not merely like the text. What a
// program shows in place of a long paste could be of another: after a while in which nobody
// looked it has to be what was there right after ours, or, if nobody saw that, to be as long.
func (x *typed) recognises(o *sight.Observation) bool {
	switch {
	case profile.Holds(o.Composer, x.letter.Mark):
		return true
	case x.inFull: // then it does not fold later
		return false
	case x.collapsed != "":
		return x.collapsed == o.Composer
	}
	return profile.Measures(o.Composer, x.letter.Text)
}

// memory is what earlier attempts on a terminal leave behind for later ones.
type memory struct {
	still    team.Stillness // of the screen, for programs without markers
	cautious bool           // something was refused: look before the next
	unread   time.Time      // the last time at which something waited unread in its terminal, or may have
	released time.Time      // until when tmux may have kept keys back for an earlier daemon
	lag      time.Duration  // that the program had in showing the text pasted last
	behind   bool           // it showed that so late that a question may be open which it has not drawn either
	served   *team.Terminal // its program has had a turn there, and was not signed out since
	place    profile.Place  // where the last look would have typed, in a program without markers
	mute     *team.Terminal // its program shows nothing of what is typed, and the operator has had a key pressed there
	silent   *team.Terminal // its program does not report the messages that it should

	before copies // of the message that was looked at last
	undone *typed // the text entered last, if the last look shows that it was taken back
	text   *typed // typed last, or being typed; nil: none
	given  *typed // entered last; nil: none
}

// copies are how often a screen shows a message. One that is retried may still stand there from the time
// before, which says nothing of this time.
type copies struct {
	mark  string
	n     int
	above []string // what stood above the composer then; nil if that is not known
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
	begun   bool      // a turn was seen, or the text above the composer: if nobody looked, that may be refused
	worked  bool      // the program was seen at work
	answers bool      // an answer was seen below the text
	rests   time.Time // since when it rests after that; zero: it does not
	refusal string    // the cause of a refusal
	idle    bool      // the time is over, and nothing shows that a turn began
}

func (f *followed) pending() bool { return !f.since.IsZero() }

// attempt is one message on its way into one terminal. It is a machine with a phase, that
// of tmux: nothing typed, pasted, entered. next is its one decision: from an observation to
// the next step. It reads no clock and no terminal, and changes only the attempt and its
// memory, so that it runs in a simulated world as it does here. The courier and tmux carry
// the steps out.
type attempt struct {
	text    *typed
	way     way
	resumed bool // it goes on where an earlier attempt or a crash left it
	asked   bool // the operator asks for the key of a text that may stand there
	memory  *memory

	pasted   pasted
	entered  entered
	unread   time.Time  // since when the program has not read its terminal; zero: it has
	refused  sight.Hold // why it stopped, or why the text did not show, where tmux does not know better
	followed followed
	withheld bool // its key was not pressed, as of the last step
	queued   bool // its key was pressed while the program worked
}

// way is how a message goes into a terminal.
type way struct {
	by    passage
	key   tmux.Key
	since time.Time // nobody has typed there since then, and nobody may until the key
	ahead time.Time // of a key pressed before since, whose time is later: the clock was set back after it
	spent bool      // a budget is used up, and the operator asked for it all the same
}

// passage is what a message passes on its way.
type passage int

const (
	passFree  passage = iota // nothing is in the way
	passMode                 // copy mode, out of which a person is taken
	passDraft                // what stands in the composer, which is no draft, as the operator said
	passLimit                // a usage limit that has ended
	passBlock                // what blocks the program, as the operator asked
	passWork                 // the program works, and takes the text into that
	passQueue                // it works, and takes the text into its queue
)

// note says for the evidence what a message has passed.
func (p passage) note() string {
	return [...]string{
		passMode:  "",
		passDraft: " over a text that is no draft, as the operator said",
		passLimit: " after its usage limit had ended",
		passBlock: " although it was blocked, as the operator asked",
		passWork:  " while it worked, as its operator allows",
		passQueue: " into its own queue while it worked",
	}[p]
}

// works reports whether the program works.
func (p passage) works() bool { return p == passWork || p == passQueue }

// past reports whether the program says that it cannot work.
func (p passage) past() bool { return p == passLimit || p == passBlock }

// pasted is what an attempt remembers of its looks between the paste and the key.
type pasted struct {
	first   time.Time // look at the terminal
	began   time.Time // of the time to show: when the text was read, or a person has scrolled
	within  time.Duration
	shown   bool      // the text was seen
	scrolls bool      // the key was refused because a person scrolls
	part    string    // the part of the screen that must rest
	still   time.Time // since when it does; zero: the text does not show
	where   string    // the text was last seen, of a program without markers
}

// entered is what an attempt remembers of its looks after the key.
type entered struct {
	began     time.Time
	looked    time.Time     // the last look, or the decision for the key
	named     time.Time     // a report that names the message counts from then
	mode      sight.TTYMode // of the terminal before the key
	reporting bool          // the program is expected to report the message
	gone      time.Time     // since when the text is gone from the composer without a report
	still     team.Stillness
	pressed   bool      // the key was pressed here
	hidden    time.Time // since when no composer is on the screen
	changed   time.Time // since when the terminal is read in another mode; zero: it is not
	stands    bool      // at the last look, the text stood in the composer
	left      bool      // a look found a composer that it had left
	stood     time.Time // the last look at which it did
	begun     bool      // the screen has shown the turn of the text, or the text above the composer

	elsewhere bool // another program has had the terminal, and may have read the text
	touched   bool // somebody has pressed a key since the one that submits, and may have left
	undrawn   bool // keys of somebody were not drawn when the one that submits was decided on
	unseen    bool // for long, nobody has looked whether somebody presses a key
	lingering bool // at the last look, the text still stood where somebody typed
	long      bool // it has done so for long
}

// stranded is what is known of a text while nothing proves that the program was given it.
type stranded struct {
	phase  string    // how far the pane remembers that it got
	pasted time.Time // zero: that is not known
	stood  bool      // it stood in the terminal at an earlier look
	left   bool      // its attempt ended with a composer that it had left
	fate   fate      // at the last look
}

// wasEntered reports whether parley has pressed the key that submits the text.
func (s *stranded) wasEntered() bool {
	return s.phase == tmux.PaneEntered || s.phase == tmux.PaneEnteredAgain
}

// fate is what a look shows of a stranded text.
type fate int

const (
	fateGone      fate = iota
	fateShown          // the program shows it among what it was given
	fateAlone          // it stands in the composer, and nothing else does
	fateMixed          // it stands there with something else
	fateBack           // it stands there again, after the program was given it
	fateHidden         // it may stand in the terminal unseen
	fateElsewhere      // it stands above the composer, and parley never entered it: a form has it, or a person did
	fateUndrawn        // the program may have read it and not drawn it yet
)

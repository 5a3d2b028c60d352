package courier

import (
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
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
	letter letter
	copies int // of the text on the screen at the look before it was typed

	reader reader // of the terminal when it was typed

	// doubted is set if its program may have refused it: nothing had shown by then that it is signed in. To be shown
	// proves nothing then, and an answer below it can be one to a later prompt.
	doubted bool

	// Until its attempt is over.
	collapsed string // what its composer showed in place of it
	mixed     string // what a person typed that was submitted with it
	lingers   bool   // it was entered, and still stood in its composer
	unsaid    bool   // it left its composer without a report

	given
	stranded

	mode ttyMode   // of the terminal when it was entered unread
	read time.Time // since when its program has read its terminal; zero: it has not
}

// given is what is known of a text that was entered.
type given struct {
	entered time.Time // zero: by a daemon before this one

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
func (m *memory) textOf(job *store.Job, on *team.Terminal, l letter, resumed bool) *typed {
	if m.text == nil || m.text.Key != job.Key || m.text.on != on {
		m.text = m.newText(on)
	}
	m.text.Job, m.text.letter = *job, l
	if !resumed { // a look at one that is typed already, such as one that lingers, finds its own text
		m.text.copies = m.before.of(l.mark)
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
func (x *typed) recognises(o *observation) bool {
	switch {
	case profile.Holds(o.Composer, x.letter.mark):
		return true
	case x.collapsed != "":
		return x.collapsed == o.Composer
	}
	return profile.Measures(o.Composer, x.letter.text)
}

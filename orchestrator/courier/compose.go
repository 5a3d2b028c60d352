package courier

import (
	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
)

// compose lays a message out for a terminal: a header that begins with a bracket, so
// that nothing in the text can be taken for a command; the text; and a footer that ends
// in a plain word, so that no completion takes the Enter. What is too long for the terminal
// is announced.
func (o *Couriers) compose(m *team.Member, p *profile.Profile, job *store.Job) letter.Letter {
	msg := o.Roster.Names.FillIn(&job.Message)
	if l := letter.Whole(p, msg, m, o.ShortFooter); p.Fits(l.Text) {
		return l
	}
	return letter.Announcement(p, msg, m)
}

// recompose lays a message out as it was typed.
func (o *Couriers) recompose(m *team.Member, p *profile.Profile, job *store.Job) letter.Letter {
	msg := o.Roster.Names.FillIn(&job.Message)
	if job.Announced {
		return letter.Announcement(p, msg, m)
	}
	return letter.Whole(p, msg, m, o.ShortFooter)
}

// longestArgument is how many bytes a text may have as an argument of a program. Linux allows 128 KiB.
const longestArgument = 100_000

// Argument returns a message as it is handed to a program as an argument of its start, "" if it is too long for that.
func (o *Couriers) Argument(m *team.Member, p *profile.Profile, msg *parley.Message) string {
	l := letter.Argument(p, o.Roster.Names.FillIn(msg), m, o.ShortFooter)
	if len(l.Text) > longestArgument {
		return ""
	}
	return l.Text
}

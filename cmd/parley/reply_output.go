package main

import "parley"

// printResponses shows which responses are due and which were given.
func (r receipts) printResponses(debts []parley.Debt) {
	for _, d := range debts {
		due := d.DueAt.Local().Format("2006-01-02 15:04")
		if d.AnsweredAt == nil {
			r.printf("%s owes a response by %s\n", r.paint(bold, d.Debtor), due)
			continue
		}

		late := ""
		if d.Late {
			late = ", late"
		}

		r.printf("%s responded: %s%s (msg %s, due %s)\n", r.paint(bold, d.Debtor), d.State, late,
			parley.Short(d.AnsweredBy), due)
	}
}

// printReply prints a responder's answer.
func (r receipts) printReply(reply *parley.Reply) {
	if reply == nil || r.json {
		return
	}
	r.printf("\n%s\n", reply.Text)
	if reply.CutOff {
		r.printf("(cut off at max_tokens)\n")
	}
}

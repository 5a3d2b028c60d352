package main

import "parley"

// printResponses shows which responses are due and which were given.
func printResponses(o *output, debts []parley.Debt) {
	for _, d := range debts {
		due := d.DueAt.Local().Format("2006-01-02 15:04")
		if d.AnsweredAt == nil {
			o.printf("%s owes a response by %s\n", o.paint(bold, d.Debtor), due)
			continue
		}

		late := ""
		if d.Late {
			late = ", late"
		}

		o.printf("%s responded: %s%s (msg %s, due %s)\n", o.paint(bold, d.Debtor), d.State, late,
			parley.Short(d.AnsweredBy), due)
	}
}

// printReply prints a responder's answer.
func printReply(o *output, r *parley.Reply) {
	if r == nil || o.json {
		return
	}
	o.printf("\n%s\n", r.Text)
	if r.CutOff {
		o.printf("(cut off at max_tokens)\n")
	}
}

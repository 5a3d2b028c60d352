package main

import (
	"testing"

	"parley"
)

// Of several agents, only those are answered that still ask what the first one asks.
func TestWhoAsksTheSame(t *testing.T) {
	dialog := func(question string, labels ...string) *parley.Dialog {
		d := &parley.Dialog{Question: question}
		for _, label := range labels {
			d.Options = append(d.Options, parley.DialogOption{Choice: label[:1], Label: label, Marked: label == "yes"})
		}
		return d
	}
	first := dialog("May I?", "yes", "no")
	secret := dialog("May I?", "yes", "no")
	secret.Secret = true

	for name, test := range map[string]struct {
		other *parley.Dialog
		want  bool
	}{
		"the same":             {dialog("May I?", "yes", "no"), true},
		"closed":               {nil, false},
		"another question":     {dialog("May I too?", "yes", "no"), false},
		"another option":       {dialog("May I?", "yes", "never"), false},
		"in another order":     {dialog("May I?", "no", "yes"), false},
		"with one more":        {dialog("May I?", "yes", "no", "always"), false},
		"for something secret": {secret, false},
	} {
		if got := asksTheSame(first, test.other); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestOldReasonsHaveCodes(t *testing.T) {
	for words, want := range map[string]parley.ReasonCode{
		"":               "",
		"something else": "",
		"communication is paused by operator: lunch":                                     parley.HoldPaused,
		"it is exited (exit status 1); parley restart coder delivers what waits":         parley.HoldExited,
		"its program has ended; started again in its pane, it gets what waits":           parley.HoldExited,
		"a bare shell (bash) has its terminal and would run the text as commands":        parley.HoldShell,
		"less has its terminal and would take the text for keys":                         parley.HoldKeysProgram,
		"a dialog is open in its terminal, and the text would answer it":                 parley.HoldDialog,
		"pasted; Enter waits: a dialog opened in its terminal":                           parley.HoldDialog,
		"pasted; Enter waits: someone is typing in its terminal":                         parley.HoldPersonTyping,
		"entered, but it still stands in its composer, where someone has typed: busy":    parley.HoldLingering,
		"pasted, but Enter was not pressed: its program has ended; parley restart coder": parley.EndedNotEntered,
		"typing had begun when its program ended":                                        parley.EndedLost,
		"typed and entered, but its program has not read it yet":                         parley.EndedUnread,
		"stored": parley.ProofStored,
		"stored in its inbox; retried by the operator":                                                           parley.ProofRetried,
		"typed, and its composer was emptied of it":                                                              parley.ProofComposer,
		"typed while it worked, as its operator allows, with a second Tab, and its own report names the message": parley.ProofReport,
		"typed into its own queue while it worked and entered; the profile asks for no look at the screen":       parley.ProofEntered,
		"linter stays silent (not-concerned): nothing concerns it":                                               parley.ProofSilence,
	} {
		if got := codeOfReason(words); got != want {
			t.Errorf("%q: got code %q, want %q", words, got, want)
		}
	}
}

func TestMigrationAddsCodes(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	read := send(t, s, post(0, 1)).Message.ID
	retried := send(t, s, post(0, 1)).Message.ID
	withheld := send(t, s, post(0, 1)).Message.ID
	must.Do(t, s.Close())

	downTo(t, path, 18)
	db := raw(t, path)
	run(t, db, `UPDATE deliveries SET steps = '{"state":"queued","at":"2026-01-02T03:04:05Z","evidence":"stored"}
{"state":"typing","at":"2026-01-02T03:04:06Z"}
no step
{"state":"answered","at":"2026-01-02T03:04:07Z","evidence":"message 12345678"}
' WHERE message_seq = 1;
		UPDATE deliveries SET pane_seq = 1, state = 'held', reason = 'it is busy',
			steps = '{"state":"unconfirmed","at":"2026-01-02T03:04:05Z","evidence":"typing had begun: x"}
' WHERE message_seq = 2;
		UPDATE deliveries SET state = 'held', reason = 'CONVERSATION_HELD: they have said enough', withheld = 'pair-budget-spent'
			WHERE message_seq = 3`)
	must.Do(t, db.Close())
	s = openAt(t, path)

	codes := func(id string) []parley.ReasonCode {
		d := delivery(t, s, id, 1)
		list := []parley.ReasonCode{d.ReasonCode}
		for _, step := range d.Steps {
			list = append(list, step.Code)
		}
		return list
	}

	for id, want := range map[string][]parley.ReasonCode{
		read:     {"", parley.ProofStored, "", parley.ProofReply},
		retried:  {parley.HoldBusy, parley.EndedLost},
		withheld: {parley.HoldConversation, ""},
	} {
		if diff := cmp.Diff(want, codes(id)); diff != "" {
			t.Errorf("codes of the reason and the steps (-want +got):\n%s", diff)
		}
	}

	if got := delivery(t, s, withheld, 1).Reason; got != "they have said enough" {
		t.Errorf("the reason of what was held is %q, with its code in front", got)
	}

	if got := attest(t, s, 1, delivery(t, s, read, 1).Steps[0].At, retried); len(got) != 1 {
		t.Errorf("a message that was typed before its retry is not attested")
	}
}

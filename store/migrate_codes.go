package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
)

// codeColumns adds the code of a delivery's reason, and whether an attempt before its
// last retry ended unconfirmed.
const codeColumns = `ALTER TABLE deliveries ADD COLUMN reason_code TEXT NOT NULL DEFAULT '';
	ALTER TABLE deliveries ADD COLUMN typed_before INTEGER NOT NULL DEFAULT 0`

// addCodes adds the codes of reasons and of steps. Deliveries from before it have only
// words, so it is written in Go: it finds their codes by oldReasons.
func addCodes(ctx context.Context, tx *sql.Tx) error {
	if err := execAll(ctx, tx, codeColumns); err != nil {
		return err
	}
	return fillCodes(ctx, tx)
}

func dropCodes(ctx context.Context, tx *sql.Tx) error {
	return execAll(ctx, tx, `ALTER TABLE deliveries DROP COLUMN typed_before`,
		`ALTER TABLE deliveries DROP COLUMN reason_code`)
}

// oldDelivery is a delivery without codes.
type oldDelivery struct {
	Key
	state, reason, withheld, steps string
}

// fillCodes gives all deliveries and their steps the codes that their words stand for.
// Words that it does not know get no code.
func fillCodes(ctx context.Context, tx *sql.Tx) error {
	update, err := tx.PrepareContext(ctx, `UPDATE deliveries
		SET reason_code = ?, reason = ?, typed_before = ?, steps = ? WHERE message_seq = ? AND recipient_id = ?`)
	if err != nil {
		return err
	}
	defer update.Close()

	for last := (Key{}); ; {
		rows, err := deliveriesAfter(ctx, tx, last)
		if err != nil || len(rows) == 0 {
			return err
		}

		last = rows[len(rows)-1].Key
		for _, d := range rows {
			code := codeOfReason(d.reason)
			if d.state == string(parley.DeliveryHeld) && d.withheld != "" {
				code = parley.HoldConversation
			}

			steps, unconfirmed := withCodes(d.steps)
			if code == "" && !unconfirmed && steps == d.steps {
				continue
			}

			_, err := update.ExecContext(ctx,
				string(code), withoutCode(d.reason), unconfirmed, steps, d.MessageSeq, d.RecipientID)
			if err != nil {
				return fmt.Errorf("store the codes of a delivery: %w", err)
			}
		}
	}
}

// deliveriesAfter reads the next deliveries after a key.
func deliveriesAfter(ctx context.Context, tx *sql.Tx, after Key) ([]oldDelivery, error) {
	rows, err := tx.QueryContext(ctx, `SELECT message_seq, recipient_id, state, reason, withheld, steps FROM deliveries
		WHERE (message_seq, recipient_id) > (?, ?) ORDER BY message_seq, recipient_id LIMIT ?`,
		after.MessageSeq, after.RecipientID, fillChunk)
	if err != nil {
		return nil, fmt.Errorf("read the deliveries without codes: %w", err)
	}
	defer rows.Close()

	var list []oldDelivery
	for rows.Next() {
		var d oldDelivery
		if err := rows.Scan(&d.MessageSeq, &d.RecipientID, &d.state, &d.reason, &d.withheld, &d.steps); err != nil {
			return nil, err
		}
		list = append(list, d)
	}

	return list, rows.Err()
}

// withCodes adds the codes to steps, and reports whether one of them is unconfirmed.
// A line that is no step stays as it is.
func withCodes(lines string) (coded string, unconfirmed bool) {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		var step parley.Step
		if json.Unmarshal([]byte(line), &step) != nil {
			b.WriteString(line)
			continue
		}

		unconfirmed = unconfirmed || step.State == parley.DeliveryUnconfirmed
		step.Code, step.Evidence = codeOfReason(step.Evidence), withoutCode(step.Evidence)
		if step.State == parley.DeliveryAnswered {
			step.Code = parley.ProofReply
		}

		if step.Code == "" {
			b.WriteString(line)
			continue
		}

		b.WriteString(stepLine(step))
	}

	return b.String(), unconfirmed
}

// withoutCode cuts off the words that stood in front of a reason in place of its code.
func withoutCode(reason string) string {
	return strings.TrimPrefix(strings.TrimPrefix(reason, "CONVERSATION_HELD: "), "no answer: ")
}

// enterWaits came before the reason for which a pasted text was not entered yet.
const enterWaits = "pasted; Enter waits: "

// codeOfReason returns the code that the words of a reason or of an evidence stand for,
// "" when they are not known.
func codeOfReason(words string) parley.ReasonCode {
	words = strings.TrimPrefix(words, enterWaits)
	if words == "" {
		return ""
	}

	for _, old := range oldReasons {
		if strings.HasPrefix(words, old.begins) && strings.Contains(words, old.holds) {
			return old.code
		}
	}

	return ""
}

// oldReasons are the words that deliveries had before they had codes. The first that
// fits decides.
var oldReasons = []struct {
	begins, holds string
	code          parley.ReasonCode
}{
	// What holds a message back.
	{"communication is paused", "", parley.HoldPaused},
	{"its terminal is not there yet", "", parley.HoldNoTerminal},
	{"its program has not taken over the terminal", "", parley.HoldStarting},
	{"it is starting", "", parley.HoldStarting},
	{"it is being stopped", "", parley.HoldStopping},
	{"it is stopped; ", "", parley.HoldStopped},
	{"it is exited (", "", parley.HoldExited},
	{"its program has ended", "", parley.HoldExited},
	{"it is unreachable (", "", parley.HoldUnreachable},
	{"its tmux server is gone", "", parley.HoldServerGone},
	{"its terminal cannot be read", "", parley.HoldUnreadable},
	{"its pane takes no input", "", parley.HoldInputOff},
	{"what is typed there goes to every pane", "", parley.HoldSynchronized},
	{"someone is scrolling", "", parley.HoldScrolling},
	{"others of its kind", "", parley.HoldStaggered},
	{"another program (", "", parley.HoldOtherProgram},
	{"it cannot be told what has its terminal", "", parley.HoldOtherProgram},
	{"a bare shell", "", parley.HoldShell},
	{"", "would take the text for keys", parley.HoldKeysProgram},
	{"its program is not reading", "", parley.HoldNotReading},
	{"the output in its terminal does not pause", "", parley.HoldNoisy},
	{"an unsent message", "", parley.HoldOwnText},
	{"it has only just come to rest", "", parley.HoldSettling},
	{"it is busy", "", parley.HoldBusy},
	{"a dialog ", "", parley.HoldDialog},
	{"an unsent draft", "", parley.HoldDraft},
	{"it is blocked (", "", parley.HoldBlocked},
	{"its screen shows nothing", "", parley.HoldUnknownScreen},
	{"someone is typing", "", parley.HoldPersonTyping},
	{"someone has typed", "", parley.HoldPersonTyping},
	{"it has not begun upon", "", parley.HoldNotBegun},
	{"the pane is not this agent's", "", parley.HoldWrongPane},
	{"its terminal did not show", "", parley.HoldNotShown},
	{"someone's own text", "", parley.HoldMixedText},
	{"entered, but it still stands", "", parley.HoldLingering},
	{"CONVERSATION_HELD", "", parley.HoldConversation},

	// How a delivery ended without proof.
	{"the agent is terminated", "", parley.EndedTerminated},
	{"it waited too long", "", parley.EndedExpired},
	{"typing was interrupted", "", parley.EndedInterrupted},
	{"the terminal was ahead", "", parley.EndedOutOfStep},
	{"typing had begun", "", parley.EndedLost},
	{"the terminal has had later messages", "", parley.EndedOvertaken},
	{"pasted, but Enter was not pressed", "", parley.EndedNotEntered},
	{"typed and entered, but its program has not read", "", parley.EndedUnread},
	{"typed and entered, and gone from its composer; but", "", parley.EndedUnreported},
	{"typed and entered, but it stood in its composer", "", parley.EndedLingered},
	{"typed and entered, but its terminal changed", "", parley.EndedModeChanged},
	{"typed and entered, but its terminal does not show", "", parley.EndedUnseen},
	{"typed and entered; whether it was taken", "", parley.EndedDialog},
	{"no answer: ", "", parley.EndedNoAnswer},

	// What proves a rung.
	{"", "retried by the operator", parley.ProofRetried},
	{"stored", "", parley.ProofStored},
	{"its own report (", "", parley.ProofReport},
	{"typed", ", and its own report names the message", parley.ProofReport},
	{"typed", ", and its composer was emptied", parley.ProofComposer},
	{"typed", ", and its program read it", parley.ProofRead},
	{"typed", " and entered; the profile asks", parley.ProofEntered},
	{"its program read it from the terminal later", "", parley.ProofRead},
	{"its full text was submitted", "", parley.ProofFullText},
	{"marked by its recipient", "", parley.ProofCall},
	{"fetched with get_messages", "", parley.ProofCall},
	{"ignored by its recipient", "", parley.ProofCall},
	{"its recipient marked it read", "", parley.ProofCall},
	{"it came back with its sender's call", "", parley.ProofCall},
	{"its recipient answered it", "", parley.ProofReply},
	{"", " stays silent (", parley.ProofSilence},
	{"the conversation protocol lets it pass", "", parley.ProofReleased},
}

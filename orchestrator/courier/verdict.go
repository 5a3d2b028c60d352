package courier

import (
	"cmp"
	"errors"
	"unicode/utf8"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/store"
)

// change is a change of state for a hold's reason.
func change(state parley.DeliveryState, h sight.Hold) store.Change {
	return store.Change{State: state, Cause: h.Cause}
}

// ended is a change of state for a code, such as that of the way in which an attempt ended.
func ended(state parley.DeliveryState, code parley.ReasonCode, detail string) store.Change {
	return store.Change{State: state, Cause: code.With(detail)}
}

// typedRungs returns the rungs that a typed text has reached with a proof. What was never entered is never taken: only
// its program's own word says otherwise, since a person may have pressed the key.
func typedRungs(entered bool, proof parley.ReasonCode, evidence string, typed *store.Job) []store.Change {
	if !entered && proof != parley.ProofReport {
		return []store.Change{ended(parley.DeliveryUnconfirmed, parley.EndedNotEntered, "nothing names it")}
	}
	return rungs(proof, evidence, typed)
}

// rungs returns the rungs that a text has reached with a proof. evidence is that in words, ""
// for those of the code. typed is nil for what came through a door.
func rungs(proof parley.ReasonCode, evidence string, typed *store.Job) []store.Change {
	shown := proof.In(cmp.Or(evidence, proof.Words("")))
	changes := []store.Change{{State: parley.DeliverySubmitted, Cause: shown}}
	switch {
	case typed != nil && typed.Announced:
		changes = append(changes, store.Announced(utf8.RuneCountInString(typed.Message.Text)))
	case proof.ProvesAll():
		changes = append(changes, ended(parley.DeliveryRead, parley.ProofFullText, ""))
	}
	return changes
}

// unseen returns what becomes of a delivery whose end nobody saw: the program may have said that
// it was given the message.
func unseen(m *team.Member, job *store.Job, code parley.ReasonCode, detail string) []store.Change {
	if at, ok := m.NamedAt(parley.Short(job.Message.ID)); ok && at.After(job.QueuedAt) && !m.Served.MayRefuse(at) {
		return rungs(parley.ProofReport, "", job)
	}
	return []store.Change{ended(parley.DeliveryUnconfirmed, code, detail)}
}

// kept is what holds a delivery that its program was given and has not begun on.
func kept(job *store.Job) parley.ReasonCode {
	if job.Argument {
		return parley.HoldArgument
	}
	return parley.HoldInside
}

// silent is how a delivery ends that its program was given and says nothing of.
func silent(job *store.Job) parley.ReasonCode {
	if job.Argument {
		return parley.EndedArgumentSilent
	}
	return parley.EndedDoorSilent
}

// lost returns what becomes of a delivery whose terminal is gone.
func lost(m *team.Member, job *store.Job, why string) []store.Change {
	return unseen(m, job, parley.EndedLost, why)
}

// ignoreStale drops the error of a change to a delivery that has moved on.
func ignoreStale(err error) error {
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

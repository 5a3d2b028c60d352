// Package door hands messages to programs through doors of their own, which need no keyboard, and learns what
// became of them. A door is a way and not a proof: that a call was answered says only that it was. What proves a
// message is what the program says by itself of the id that it was given.
package door

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrClosed says that nothing was handed over, for sure: the door is not there, or belongs to another process,
// speaks what this room does not, or refused the message before it took it. Any other error of Give leaves open
// whether the program has it.
var ErrClosed = errors.New("nothing was handed over")

// ErrNotNow is an ErrClosed of a door that stays open: it takes another letter, or this one later. Do not close
// and open it again: it would forget what it has learned.
var ErrNotNow = fmt.Errorf("not now: %w", ErrClosed)

// UntriedError is an ErrClosed of a door that was not tried with the version of its program.
type UntriedError struct {
	Version string
	Tried   []string
}

func (e *UntriedError) Error() string {
	return fmt.Sprintf("not tried with its version %q, only with %q", e.Version, e.Tried)
}

func (e *UntriedError) Unwrap() error { return ErrClosed }

// Letter is a message as it goes in.
type Letter struct {
	ID    string // of its delivery, a UUID: one program never takes two letters of one id where it can tell ids apart
	Text  string // whole, with header and footer
	Mark  string // "msg 5f0c21aa": stands in the text and proves whose it is
	Steer bool   // into the turn that runs, where the program can

	Sent time.Time // when its message was accepted: nobody has given it before that
}

// Fate is what a program says of a letter.
type Fate string

// The fates.
const (
	Unknown Fate = "unknown" // it says nothing of it
	Queued  Fate = "queued"  // it keeps it for later: behind a turn or a dialog
	Read    Fate = "read"    // a turn of its session holds it
	Dropped Fate = "dropped" // it says that it will not read it
	Absent  Fate = "absent"  // it says that it never got it: it may be given again
)

// Answer is what a program says of a letter, and what it was that said so.
type Answer struct {
	Fate     Fate
	Evidence string // a clause: "its session lists the message, and a turn answers it"
}

// Program is a program that runs, as far as its door must know it.
type Program struct {
	Kind     string   // of the door, see Kinds
	PID      int      // that must stand behind the door
	Dir      string   // the agent's private directory, where its launch wrote what the door needs; "": adopted
	Session  string   // the id of its session, "" if parley does not know it, or if it does not count, see OfSession
	Versions []string // that the door was tried with, empty: any. Another one counts as closed
}

// Door is the door of one program that runs now. It may be used by several goroutines.
type Door interface {
	// Give hands a letter over once. It returns as soon as the program has answered, or nothing when the door
	// does not answer.
	Give(ctx context.Context, l Letter) error
	// Ask asks what has become of a letter, also one that an earlier daemon gave.
	Ask(ctx context.Context, l Letter) (Answer, error)
	// Withdraw takes a letter back that the program keeps, and reports whether it did: then no turn will ever have it.
	Withdraw(ctx context.Context, l Letter) (back bool, err error)
	// Close ends what listens for answers.
	Close() error
}

// keeps is part of a Door that takes no letter back.
type keeps struct{}

// Withdraw implements Door.
func (keeps) Withdraw(context.Context, Letter) (back bool, err error) { return false, nil }

// tried returns an error unless the door was tried with a version of the program.
func (p Program) tried(version string) error {
	if len(p.Versions) == 0 || slices.Contains(p.Versions, version) {
		return nil
	}
	return &UntriedError{Version: version, Tried: p.Versions}
}

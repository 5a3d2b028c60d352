package parley

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ReasonCode says why a delivery is where it is: what holds it, how its attempt
// ended without proof, or what proves a rung. It is stored beside the words,
// which are for people and may change; nothing reads a meaning out of words.
type ReasonCode string

// What holds a message back. The terminal is not ready, or, with
// HoldConversation, the conversation protocol lets it wait.
const (
	HoldPaused        ReasonCode = "paused"         // the operator paused communication
	HoldBudget        ReasonCode = "spent"          // a budget of tokens or money is used up
	HoldNoTerminal    ReasonCode = "no_terminal"    // the terminal is not there yet
	HoldStarting      ReasonCode = "starting"       // the program is starting
	HoldStopping      ReasonCode = "stopping"       // the agent is being stopped
	HoldStopped       ReasonCode = "stopped"        // the agent was stopped
	HoldExited        ReasonCode = "exited"         // the program has ended
	HoldUnreachable   ReasonCode = "unreachable"    // its terminal is lost
	HoldServerGone    ReasonCode = "server_gone"    // its tmux server is gone
	HoldUnreadable    ReasonCode = "unreadable"     // its screen cannot be read
	HoldInputOff      ReasonCode = "input_off"      // its pane takes no input
	HoldSynchronized  ReasonCode = "synchronized"   // typing goes to every pane of the window
	HoldScrolling     ReasonCode = "scrolling"      // somebody scrolls in copy mode
	HoldStaggered     ReasonCode = "staggered"      // other agents of its profile get the broadcast first
	HoldOtherProgram  ReasonCode = "other_program"  // another program reads, without the operator's word
	HoldShell         ReasonCode = "shell"          // a shell reads, which would run a text as a command
	HoldQuestion      ReasonCode = "question"       // the screen of a program without markers asks something
	HoldSecret        ReasonCode = "secret"         // its terminal asks for something secret
	HoldNewPlace      ReasonCode = "new_place"      // what stands before its cursor is new, and may be a question
	HoldNoReader      ReasonCode = "no_reader"      // no program reads its terminal now
	HoldNotReading    ReasonCode = "not_reading"    // the program does not read its terminal
	HoldNoisy         ReasonCode = "noisy"          // the output does not pause
	HoldOwnText       ReasonCode = "own_text"       // an unsent text that parley typed stands there
	HoldUnsent        ReasonCode = "unsent"         // one may stand there unseen
	HoldRecalled      ReasonCode = "recalled"       // one that was typed before stands there again
	HoldSettling      ReasonCode = "settling"       // the program has only just come to rest
	HoldBusy          ReasonCode = "busy"           // the program works
	HoldDialog        ReasonCode = "dialog"         // a dialog is open
	HoldDraft         ReasonCode = "draft"          // an unsent draft stands in the composer
	HoldBlocked       ReasonCode = "blocked"        // a limit, an error, a compaction
	HoldLimit         ReasonCode = "usage_limit"    // its provider refuses it for a time
	HoldUnknownScreen ReasonCode = "unknown_screen" // the screen shows nothing known
	HoldPersonTyping  ReasonCode = "person_typing"  // somebody types, or has just typed or attached
	HoldKeysUnshown   ReasonCode = "keys_unshown"   // somebody typed or attached, and the program has shown nothing yet
	HoldDialogOpened  ReasonCode = "dialog_opened"  // a dialog opened after the paste
	HoldNotBegun      ReasonCode = "not_begun"      // the program has not begun on the last message
	HoldWrongPane     ReasonCode = "wrong_pane"     // the pane belongs to another agent now
	HoldNotShown      ReasonCode = "not_shown"      // the terminal did not show the pasted text
	HoldMixedText     ReasonCode = "mixed_text"     // somebody's own text stands beside the pasted one
	HoldLingering     ReasonCode = "lingering"      // entered, but it still stands where somebody typed
	HoldRefused       ReasonCode = "refused"        // tmux refused, for a reason without a code
	HoldHostAway      ReasonCode = "host_away"      // the daemon of its host does not run, or cannot reach the database
	HoldLease         ReasonCode = "lease_over"     // the daemon here may not be its host any more
	// its program has it, through its own door, and keeps it for later
	HoldInside ReasonCode = "inside"
	// its program was started with it as an argument, and has not begun on it
	HoldArgument ReasonCode = "argument"

	// HoldConversation keeps the spelling of the error code of the same name.
	HoldConversation ReasonCode = "CONVERSATION_HELD"
)

// How a delivery ended, or an attempt at it, without proof.
const (
	EndedTerminated  ReasonCode = "recipient_terminated" // its recipient had been stopped for good
	EndedExpired     ReasonCode = "expired"              // it waited longer than expire_after
	EndedInterrupted ReasonCode = "interrupted"          // typing was interrupted before the paste; it is queued again
	EndedOutOfStep   ReasonCode = "out_of_step"          // the pane's count was ahead; it is queued again
	EndedLost        ReasonCode = "terminal_lost"        // the terminal went away, or its program ended, meanwhile
	EndedOvertaken   ReasonCode = "overtaken"            // the terminal has had later messages
	EndedNotEntered  ReasonCode = "not_entered"          // pasted, but Enter was not pressed
	EndedNative      ReasonCode = "native"               // its sender's program sends it with a tool of its own
	EndedUnread      ReasonCode = "unread"               // entered, but the program has not read its terminal
	EndedUnreported  ReasonCode = "unreported"           // gone from the composer, and not reported as usual
	EndedLingered    ReasonCode = "lingered"             // it stood in the composer while somebody typed there
	EndedModeChanged ReasonCode = "mode_changed"         // the terminal changed its mode or closed meanwhile
	EndedUnseen      ReasonCode = "unseen"               // nothing shows that it was taken
	EndedStanding    ReasonCode = "standing"             // entered, but it still stands in the composer
	EndedVanished    ReasonCode = "vanished"             // it stood in the composer, and is gone: sent or cleared
	EndedUndone      ReasonCode = "undone"               // taken out of the conversation, and back in the composer
	EndedDialog      ReasonCode = "behind_dialog"        // entered as a dialog opened; open until that is answered
	EndedRefused     ReasonCode = "program_refused"      // the program showed that it refuses the text
	EndedNoTurn      ReasonCode = "no_turn"              // gone from the composer, and no turn began
	// claimed for its program's door, and not there; queued again
	EndedDoorAbsent ReasonCode = "door_absent"
	// given through its program's door, and nothing shows a turn
	EndedDoorSilent  ReasonCode = "door_silent"
	EndedDoorDropped ReasonCode = "door_dropped" // its program says that it will not read it
	// its program was started with it as an argument, and nothing shows a turn
	EndedArgumentSilent ReasonCode = "argument_silent"
	EndedWithdrawn      ReasonCode = "withdrawn"       // parley has taken it back before it was typed
	EndedNoAnswer       ReasonCode = "no_answer"       // a responder's model gave no answer
	EndedHostRemoved    ReasonCode = "host_removed"    // its host was removed from the team
	EndedBehind         ReasonCode = "database_behind" // the database lacks what came later; it may have been typed
)

// What proves a rung.
const (
	ProofStored     ReasonCode = "stored"             // the row is in the database
	ProofOverBudget ReasonCode = "stored_over_budget" // the same, in a mailbox, beyond a budget of the conversation
	ProofReport     ReasonCode = "report"             // the program's own report names the message
	ProofComposer   ReasonCode = "composer_emptied"   // the composer was emptied of the text
	ProofRead       ReasonCode = "tty_read"           // the program read the text from its terminal
	ProofShown      ReasonCode = "shown"              // the screen shows it among what the program was given
	ProofDoor       ReasonCode = "door"               // its program says that a turn holds it
	ProofEntered    ReasonCode = "entered"            // Enter was pressed; the profile asks for no more
	ProofFullText   ReasonCode = "full_text"          // the whole text was submitted and confirmed
	ProofAnnounced  ReasonCode = "announced"          // the beginning was typed; the rest is fetched with a call
	ProofCall       ReasonCode = "call"               // marked or ignored by its recipient, or in a call's answer
	ProofFetched    ReasonCode = "fetched"            // fetched in full by its recipient with a call; not typed
	ProofReply      ReasonCode = "reply"              // its recipient replied
	ProofSilence    ReasonCode = "silence"            // a responder read it and stays silent
	ProofRetried    ReasonCode = "retried"            // the operator asked for another attempt
	ProofReleased   ReasonCode = "released"           // a hold of the conversation protocol ended
)

// ThroughDoor and AsArgument begin the evidence of a message that was not typed.
const (
	ThroughDoor = "given to its program through its own door"
	AsArgument  = "given to its program as the argument of its start"
)

// Cause is why a delivery is where it is: a code with its words. Only a code makes one, so that neither is set without
// the other. The zero value is no cause.
type Cause struct {
	code  ReasonCode
	words string
}

// With returns the cause in the words of its code; detail stands where the code has room for one.
func (c ReasonCode) With(detail string) Cause { return Cause{c, c.Words(detail)} }

// In returns the cause in words that tell more than those of its code.
func (c ReasonCode) In(words string) Cause { return Cause{c, words} }

// Code returns the code, "" of no cause.
func (c Cause) Code() ReasonCode { return c.code }

// Words returns the same for people.
func (c Cause) Words() string { return c.words }

// Reason returns the cause if it says why a delivery gets no further, and none if it proves a rung.
func (c Cause) Reason() Cause {
	if reasons[c.code].proves {
		return Cause{}
	}
	return c
}

// Hold is how the conversation protocol holds a delivery.
type Hold struct {
	Code   ReasonCode `json:"code"`            // HoldConversation
	Reason string     `json:"reason"`          // the rule that holds it, such as pair-budget-spent
	Until  *time.Time `json:"until,omitempty"` // when it passes by itself; nil if somebody has to let it
}

// OwnText reports whether the code says that a text of parley's stands unsent in the terminal.
func (c ReasonCode) OwnText() bool { return reasons[c].ends == withOwnText }

// OnlyPerson reports whether only a person can end what holds a message back: another program has the
// terminal, or its pane does not take what is typed into it alone.
func (c ReasonCode) OnlyPerson() bool { return reasons[c].ends == onlyByPerson }

// NeedsPerson reports whether what holds a message back stays until a person sees to the agent's terminal. What ends
// by itself and what holds the whole team do not.
func (c ReasonCode) NeedsPerson() bool { return reasons[c].ends != byItself }

// InComposer reports whether a text stands unsent in the composer, a person's or one of parley's.
func (c ReasonCode) InComposer() bool { return reasons[c].ends == withDraft || c.OwnText() }

// Left reports whether a person left something in the terminal and does not seem to be there any longer.
func (c ReasonCode) Left() bool {
	return c.OnlyPerson() || c.InComposer() || reasons[c].ends == withReturn
}

// WhatToDo says what to do about what was left in a terminal.
func (c ReasonCode) WhatToDo() string {
	return cmp.Or(reasons[c].left,
		"Send or clear what stands there, or leave copy mode with q; parley touches neither.")
}

// OtherReads reports whether a program reads the terminal that is not the agent's.
func (c ReasonCode) OtherReads() bool { return reasons[c].reader }

// OpenDoor reports whether a message may go through a door of the program although this holds it back in the terminal.
// With hook, it is a hook of the program that waits.
func (c ReasonCode) OpenDoor(hook bool) bool {
	door := reasons[c].door
	return door == anyDoor || door == aHook && hook || door == butAHook && !hook
}

// LeftComposer reports whether an attempt ended whose text had left its composer.
func (c ReasonCode) LeftComposer() bool { return reasons[c].gone }

// Stands reports whether the text of an attempt that ended stands in the composer, where Enter sends it.
func (c ReasonCode) Stands() bool { return reasons[c].stands }

// Doubt says what may have become of a text that was typed to an agent without proof of arrival.
func (c ReasonCode) Doubt(agent string) string {
	doubt := cmp.Or(reasons[c].doubt, "%s may have got it, or its program may have dropped it.")
	return fmt.Sprintf(doubt, agent)
}

// Brief reports whether what holds a message back is expected to pass by itself.
func (c ReasonCode) Brief() bool { return reasons[c].brief }

// LastsWith reports whether a cause lasts as long as an agent is in a state.
func (c ReasonCode) LastsWith(state AgentState) bool { return state != "" && reasons[c].with == state }

// HasRelease reports whether something that Release names lets the message go, and not time alone.
func (c ReasonCode) HasRelease() bool { return reasons[c].release != "" }

// Words returns the code as a clause; detail stands where the code has room for one.
func (c ReasonCode) Words(detail string) string {
	words := reasons[c].words
	if strings.Contains(words, "%s") {
		return fmt.Sprintf(words, detail)
	}
	return words
}

// Release says what lets a message go that an agent's terminal holds with this code.
func (c ReasonCode) Release(agent Agent) string {
	release := reasons[c].release
	switch {
	case release == whenRestarted && agent.Adopted():
		return fmt.Sprintf(
			"It goes when %[1]s's program runs in its pane again, or in another: parley adopt %[1]s --pane ID.",
			agent.Name,
		)
	case release == "":
		return fmt.Sprintf(
			"It goes when that has passed; parley keeps looking. parley screen %s shows what it sees.",
			agent.Name,
		)
	case strings.Contains(release, "%"):
		return fmt.Sprintf(release, agent.Name)
	}
	return release
}

// ProvesAll reports whether the code is enough for a text that was typed whole to count as
// read. That an unknown program took it from its terminal is not: a dialog does so too.
func (c ReasonCode) ProvesAll() bool { return c != ProofRead }

// Known reports whether parley writes such a code.
func (c ReasonCode) Known() bool {
	_, ok := reasons[c]
	return ok
}

// ReasonCodes returns every code, in alphabetical order.
func ReasonCodes() []ReasonCode { return slices.Sorted(maps.Keys(reasons)) }

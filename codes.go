package parley

import (
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
	HoldOtherProgram  ReasonCode = "other_program"  // another program runs in the adopted pane
	HoldShell         ReasonCode = "shell"          // a bare shell has the terminal
	HoldKeysProgram   ReasonCode = "keys_program"   // a pager or editor has the terminal
	HoldQuestion      ReasonCode = "question"       // the screen of a program without markers asks something
	HoldSecret        ReasonCode = "secret"         // its terminal asks for something secret
	HoldNewPlace      ReasonCode = "new_place"      // what stands before its cursor is new, and may be a question
	HoldNoReader      ReasonCode = "no_reader"      // no program reads its terminal now
	HoldNotReading    ReasonCode = "not_reading"    // the program does not read its terminal
	HoldNoisy         ReasonCode = "noisy"          // the output does not pause
	HoldOwnText       ReasonCode = "own_text"       // an unsent text of parley's stands there
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
	EndedUnread      ReasonCode = "unread"               // entered, but the program has not read its terminal
	EndedUnreported  ReasonCode = "unreported"           // gone from the composer, and not reported as usual
	EndedLingered    ReasonCode = "lingered"             // it stood in the composer while somebody typed there
	EndedModeChanged ReasonCode = "mode_changed"         // the terminal changed its mode or closed meanwhile
	EndedUnseen      ReasonCode = "unseen"               // nothing shows that it was taken
	EndedStanding    ReasonCode = "standing"             // entered, but it still stands in the composer
	EndedVanished    ReasonCode = "vanished"             // it stood in the composer, and is gone: sent or cleared
	EndedDialog      ReasonCode = "behind_dialog"        // entered as a dialog opened; open until that is answered
	EndedRefused     ReasonCode = "program_refused"      // the program showed that it refuses the text
	EndedNoTurn      ReasonCode = "no_turn"              // gone from the composer, and no turn began
	EndedNoAnswer    ReasonCode = "no_answer"            // a responder's model gave no answer
	EndedHostRemoved ReasonCode = "host_removed"         // its host was removed from the team
	EndedBehind      ReasonCode = "database_behind"      // the database lacks what came later; it may have been typed
)

// What proves a rung.
const (
	ProofStored     ReasonCode = "stored"             // the row is in the database
	ProofOverBudget ReasonCode = "stored_over_budget" // the same, in a mailbox, beyond a budget of the conversation
	ProofReport     ReasonCode = "report"             // the program's own report names the message
	ProofComposer   ReasonCode = "composer_emptied"   // the composer was emptied of the text
	ProofRead       ReasonCode = "tty_read"           // the program read the text from its terminal
	ProofShown      ReasonCode = "shown"              // the screen shows it among what the program was given
	ProofEntered    ReasonCode = "entered"            // Enter was pressed; the profile asks for no more
	ProofFullText   ReasonCode = "full_text"          // the whole text was submitted and confirmed
	ProofCall       ReasonCode = "call"               // marked or ignored by its recipient, or in a call's answer
	ProofFetched    ReasonCode = "fetched"            // fetched in full by its recipient with a call; not typed
	ProofReply      ReasonCode = "reply"              // its recipient replied
	ProofSilence    ReasonCode = "silence"            // a responder read it and stays silent
	ProofNative     ReasonCode = "native"             // its sender's program sent it with a tool of its own
	ProofRetried    ReasonCode = "retried"            // the operator asked for another attempt
	ProofReleased   ReasonCode = "released"           // a hold of the conversation protocol ended
)

// Hold is why a delivery waits: its code, and the same in words.
type Hold struct {
	Code ReasonCode `json:"code"`
	// Reason is, for HoldConversation, the rule that holds the message, such as
	// pair-budget-spent, and otherwise why the terminal is not ready, in words.
	Reason string     `json:"reason"`
	Until  *time.Time `json:"until,omitempty"` // when it passes by itself; nil if somebody has to let it
}

// reasonWords are the words of a code: as a clause for evidence and reasons, in which
// %s stands for a detail, and what lets a held message go, in which %[1]s stands for the
// agent's name.
type reasonWords struct{ words, release string }

var reasons = map[ReasonCode]reasonWords{
	HoldPaused:      {"%s", "It goes when messages go on: parley resume."},
	HoldBudget:      {"%s", "It goes after midnight, or when the budget is raised; one goes at once with parley retry."},
	HoldNoTerminal:  {"its terminal is not there yet", ""},
	HoldStarting:    {"it is starting", ""},
	HoldStopping:    {"it is being stopped", ""},
	HoldStopped:     {"it is stopped; %s", whenRestarted},
	HoldExited:      {"its program has ended; %s", whenRestarted},
	HoldUnreachable: {"it is unreachable: %s", whenRestarted},
	HoldServerGone:  {"its tmux server is gone", ""},
	HoldHostAway:    {"its host %s", "It goes when the daemon runs there again: parley serve, in that workspace."},
	HoldLease:       {"this host could not renew its lease of the database", ""},
	HoldUnreadable:  {"its terminal cannot be read: %s", ""},
	HoldInputOff: {
		"its pane takes no input (tmux select-pane -e lets it)",
		"It goes when the pane takes input again: parley attach %[1]s.",
	},
	HoldSynchronized: {
		"what is typed there goes to every pane of its window (tmux set-option -w synchronize-panes off ends that)",
		"",
	},
	HoldScrolling: {
		"someone is scrolling in its terminal (copy mode)",
		"It goes when copy mode is left (q): parley attach %[1]s.",
	},
	HoldStaggered:    {"others of its kind have just been given a message for many", ""},
	HoldOtherProgram: {"%s", "It goes when %[1]s's own program has the terminal again: parley attach %[1]s."},
	HoldShell: {
		"a bare shell (%s) has its terminal and would run the text as commands",
		"It goes when %[1]s's own program has the terminal again: parley attach %[1]s, or parley restart %[1]s.",
	},
	HoldKeysProgram: {
		"%s has its terminal and would take the text for keys",
		"It goes when that program is left: parley attach %[1]s.",
	},
	HoldQuestion: {
		"its screen asks something, and the text would answer it%s",
		"It goes when that is answered: parley answer %[1]s. parley never answers by itself.",
	},
	HoldSecret: {
		"its terminal asks for something secret, and the text would be taken for it%s",
		"It goes when that is answered: parley attach %[1]s. parley never answers.",
	},
	HoldNewPlace: {
		"messages may not belong where its cursor stands%s",
		"It goes when that is answered, or when you say that messages belong there: parley answer %[1]s.",
	},
	HoldNoReader: {
		"no program reads its terminal now",
		"It goes when its program reads what is typed. parley screen %[1]s shows what it does.",
	},
	HoldNotReading: {"its program is not reading its terminal (%s bytes wait there)", ""},
	HoldNoisy:      {"the output in its terminal does not pause", ""},
	HoldOwnText: {
		"parley's own text stands unsent in its terminal: press Enter there, or clear it",
		"It goes when that text is sent or cleared: parley attach %[1]s.",
	},
	HoldUnsent: {
		"parley's own text (message %s) was pasted without its Enter, and may stand in its terminal unseen",
		"It goes when you have seen to that message: parley retry presses its Enter; or press Enter or clear it " +
			"yourself (parley attach %[1]s), and say so with parley needs --dismiss.",
	},
	HoldRecalled: {
		"a text that parley typed before stands in its composer again, and Enter would give it twice",
		"It goes when that text is cleared, not sent: parley attach %[1]s.",
	},
	HoldSettling: {"it has only just come to rest", ""},
	HoldBusy:     {"it is busy", ""},
	HoldDialog: {
		"a dialog is open in its terminal, and the text would answer it",
		"It goes when the dialog is answered: parley answer %[1]s. parley never answers one by itself.",
	},
	HoldDraft: {
		"an unsent draft stands in its composer",
		"It goes when the draft is sent or cleared: parley attach %[1]s. parley leaves it alone.",
	},
	HoldBlocked: {"it is blocked (%s)", ""},
	HoldLimit: {
		"it has reached its usage limit%s",
		"It goes when %[1]s works again, or at once with parley retry. With resume_after_limit: true it goes by " +
			"itself once the limit has ended.",
	},
	HoldUnknownScreen: {"its screen shows nothing that is known to be ready", ""},
	HoldPersonTyping:  {"someone is typing in its terminal, or has just attached to it", ""},
	HoldKeysUnshown:   {"someone has typed in its terminal, or attached to it, and it has shown nothing since", ""},
	HoldDialogOpened: {
		"a dialog opened in its terminal",
		"It goes when the dialog is answered: parley answer %[1]s. parley never answers one by itself.",
	},
	HoldNotBegun:     {"it has not begun on what it was given last", ""},
	HoldWrongPane:    {"the pane is not this agent's any more", ""},
	HoldNotShown:     {"its terminal did not show the text", ""},
	HoldMixedText:    {"pasted; Enter waits: someone's own text stands beside it in its composer", ""},
	HoldLingering:    {"entered, but it still stands in its composer, where someone has typed", ""},
	HoldRefused:      {"%s", ""},
	HoldConversation: {"%s", ""},

	EndedTerminated:  {"the agent is terminated", ""},
	EndedExpired:     {"it waited too long", ""},
	EndedInterrupted: {"typing was interrupted before the paste", ""},
	EndedOutOfStep:   {"the terminal was ahead in its count", ""},
	EndedLost:        {"typing had begun: %s", ""},
	EndedOvertaken:   {"the terminal has had later messages", ""},
	EndedNotEntered:  {"pasted, but Enter was not pressed: %s", ""},
	EndedUnread:      {"typed and entered, but its program has not read it yet", ""},
	EndedUnreported: {
		"typed and entered, and gone from its composer; but its program has not reported it, as it does, " +
			"and may have dropped it",
		"",
	},
	EndedLingered: {
		"typed and entered, but it stood in its composer while someone typed there, " +
			"and was not seen to be taken after that",
		"",
	},
	EndedModeChanged: {
		"typed and entered, but its terminal changed its mode or closed meanwhile and may have dropped it",
		"",
	},
	EndedUnseen:   {"typed and entered, but its terminal does not show that it was taken", ""},
	EndedStanding: {"typed and entered, but its text still stands in its composer: press Enter there, or clear it", ""},
	EndedVanished: {"its text stood in the terminal, and someone has sent or cleared it", ""},
	EndedDialog:   {"typed and entered; whether it was taken shows when the dialog in its terminal is answered", ""},
	EndedRefused:  {"refused by the program: its screen shows %s", ""},
	EndedNoTurn: {
		"typed and entered, and gone from its composer; but nothing shows that its program began on it",
		"",
	},
	EndedNoAnswer:    {"no answer: %s", ""},
	EndedHostRemoved: {"its host %s was removed from the team", ""},
	EndedBehind: {
		"the database was damaged or replaced by a copy, and what it lacks may tell that this was typed",
		"",
	},

	ProofStored:     {"stored", ""},
	ProofOverBudget: {"stored in its inbox; %s", ""},
	ProofReport:     {"its own report names the message", ""},
	ProofComposer:   {"its composer was emptied of it", ""},
	ProofRead:       {"its program took it from the terminal; nothing more is known of this program", ""},
	ProofShown:      {"its screen shows it among what it was given", ""},
	ProofEntered:    {"entered; the profile asks for no look at the screen", ""},
	ProofFullText:   {"its full text was submitted and confirmed", ""},
	ProofCall:       {"%s", ""},
	ProofFetched:    {"%s, and not typed", ""},
	ProofReply:      {"its recipient answered it", ""},
	ProofSilence:    {"%s", ""},
	ProofNative:     {"its sender's program sends it with %s; parley does not type it", ""},
	ProofRetried:    {"%s", ""},
	ProofReleased:   {"%s", ""},
}

// lasting are the words of the codes that can be a root cause for long: how things have been, in which
// %s stands for the agent's name.
var lasting = map[ReasonCode]string{
	HoldPaused:        "messages have been paused",
	HoldBudget:        "%s's budget of today has been used up",
	HoldStopped:       "%s has been stopped",
	HoldExited:        "%s's program has been gone",
	HoldUnreachable:   "%s has been unreachable",
	HoldScrolling:     "someone has been scrolling in %s's terminal",
	HoldShell:         "a bare shell has had %s's terminal",
	HoldKeysProgram:   "a pager or an editor has had %s's terminal",
	HoldOtherProgram:  "another program has had %s's terminal",
	HoldInputOff:      "%s's pane has taken no input",
	HoldSynchronized:  "%s's window has been synchronized",
	HoldNotReading:    "%s's program has not read its terminal",
	HoldNoisy:         "the output in %s's terminal has not paused",
	HoldOwnText:       "parley's own text has stood unsent in %s's terminal",
	HoldUnsent:        "parley's own text may have stood unseen in %s's terminal",
	HoldRecalled:      "a text that was typed before has stood in %s's composer again",
	HoldMixedText:     "someone's own text has stood with parley's in %s's composer",
	HoldBusy:          "%s has been busy",
	HoldDialog:        "%s has had a question open",
	HoldDialogOpened:  "%s has had a question open",
	HoldDraft:         "an unsent draft has stood in %s's composer",
	HoldBlocked:       "%s has been blocked",
	HoldLimit:         "%s has been at its usage limit",
	HoldUnknownScreen: "%s's screen has shown nothing that is known to be ready",
}

const whenRestarted = "It goes when %[1]s runs again: parley restart %[1]s."

// OwnText reports whether the code says that a text of parley's stands unsent in the terminal.
func (c ReasonCode) OwnText() bool {
	return c == HoldOwnText || c == HoldUnsent || c == HoldRecalled
}

// OnlyPerson reports whether only a person can end what holds a message back: another program has the
// terminal, or its pane does not take what is typed into it alone.
func (c ReasonCode) OnlyPerson() bool {
	switch c {
	case HoldShell, HoldKeysProgram, HoldOtherProgram, HoldInputOff, HoldSynchronized:
		return true
	}
	return false
}

// NeedsPerson reports whether what holds a message back stays until a person sees to the agent's terminal. What ends
// by itself and what holds the whole team do not.
func (c ReasonCode) NeedsPerson() bool {
	switch c {
	case HoldUnreadable, HoldScrolling, HoldQuestion, HoldSecret, HoldNewPlace, HoldDialog, HoldDialogOpened,
		HoldDraft, HoldMixedText, HoldLingering, HoldUnknownScreen:
		return true
	}
	return c.OnlyPerson() || c.OwnText()
}

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
	case c == HoldShell && IsShell(agent.Command):
		return fmt.Sprintf("It goes when a program runs in %[1]s's shell: start it there (parley attach %[1]s). "+
			"Or stop the agent (parley stop %[1]s) and launch the program itself.", agent.Name)
	case release == whenRestarted && agent.Adopted():
		return fmt.Sprintf(
			"It goes when %[1]s's program runs in its pane again, or in another: parley adopt %[1]s --pane ID.",
			agent.Name,
		)
	case release == "":
		return fmt.Sprintf(
			"It goes by itself when that has passed; parley keeps looking. parley screen %s shows what it sees.",
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

package parley

// A reason is all that is known of a code.
type reason struct {
	words   string     // a clause for evidence and reasons, in which %s stands for a detail
	release string     // what lets a held message go, in which %[1]s stands for the agent's name; "" for time alone
	lasting string     // of a root cause that can last: how things have been, in which %s stands for the agent's name
	ends    ending     // who ends what holds a message back
	door    doors      // of the program through which the message may go meanwhile
	reader  bool       // a program reads the terminal that is not the agent's, and may not stay
	left    string     // what to do about what was left in the terminal; "": it is a person's own
	brief   bool       // it is expected to pass by itself, and shown only when it does not
	with    AgentState // the state of the agent that it lasts as long as
	proves  bool       // it proves a rung, and does not say why a delivery gets no further
	gone    bool       // the text had left its composer
	stands  bool       // the text stands in the composer, and Enter sends it
	doubt   string     // what may have become of a text without proof, in which %s stands for the agent's name; "": any
}

// ending says who ends what holds a message back.
type ending string

const (
	byItself     ending = ""
	byPerson     ending = "person"      // a person sees to the agent's terminal
	onlyByPerson ending = "only_person" // the same: another program has it, or its pane does not take what is typed
	withDraft    ending = "draft"       // the same: their own text stands in the composer
	withReturn   ending = "return"      // the same: they have left the terminal as they used it
	withOwnText  ending = "own_text"    // a person, or a retry: a text of parley's stands unsent in the terminal
)

// doors are the doors of a program that a cause leaves open, see package program/door.
type doors string

const (
	noDoor   doors = ""
	anyDoor  doors = "any"      // it holds the message back in the terminal alone
	aHook    doors = "hook"     // only a hook that waits: the program itself says that it works
	butAHook doors = "not_hook" // all others
)

const notGot = "%s has not got it. A retry presses Enter if the text still stands there."

const whenRestarted = "It goes when %[1]s runs again: parley restart %[1]s."

// reasons has one row for each code.
var reasons = map[ReasonCode]reason{
	HoldPaused: {
		words:   "%s",
		release: "It goes when messages go on: parley resume.",
		lasting: "messages have been paused",
	},
	HoldBudget: {
		words:   "%s",
		release: "It goes after midnight, or when the budget is raised; one goes at once with parley retry.",
		lasting: "%s's budget of today has been used up",
	},
	HoldNoTerminal: {words: "its terminal is not there yet", brief: true},
	HoldStarting:   {words: "it is starting", brief: true},
	HoldStopping:   {words: "it is being stopped", brief: true},
	HoldStopped: {
		words:   "it is stopped; %s",
		release: whenRestarted,
		lasting: "%s has been stopped",
		with:    StateTerminated,
	},
	HoldExited: {
		words:   "its program has ended; %s",
		release: whenRestarted,
		lasting: "%s's program has been gone",
		with:    StateExited,
	},
	HoldUnreachable: {
		words:   "it is unreachable: %s",
		release: whenRestarted,
		lasting: "%s has been unreachable",
		with:    StateUnreachable,
	},
	HoldServerGone: {words: "its tmux server is gone", brief: true},
	HoldHostAway: {
		words:   "its host %s",
		release: "It goes when the daemon runs there again: parley serve, in that workspace.",
	},
	HoldLease:      {words: "this host could not renew its lease of the database", brief: true},
	HoldUnreadable: {words: "its terminal cannot be read: %s", ends: byPerson, brief: true},
	HoldInputOff: {
		words:   "its pane takes no input (tmux select-pane -e lets it)",
		release: "It goes when the pane takes input again: parley attach %[1]s.",
		lasting: "%s's pane has taken no input",
		ends:    onlyByPerson,
	},
	HoldSynchronized: {
		words: "what is typed there goes to every pane of its window (tmux set-option -w synchronize-panes off " +
			"ends that)",
		lasting: "%s's window has been synchronized",
		ends:    onlyByPerson,
	},
	HoldScrolling: {
		words:   "someone is scrolling in its terminal (copy mode)",
		release: "It goes when copy mode is left (q): parley attach %[1]s.",
		lasting: "someone has been scrolling in %s's terminal",
		ends:    withReturn,
		door:    anyDoor,
	},
	HoldStaggered: {words: "others of its kind have just been given a message for many", brief: true},
	HoldOtherProgram: {
		words: "%s reads its terminal, and you have not said that it takes messages",
		release: "It goes when %[1]s's own program reads that, or when you say that this one takes messages: " +
			"parley answer %[1]s messages.",
		lasting: "another program has read %s's terminal",
		ends:    onlyByPerson,
		reader:  true,
	},
	HoldShell: {
		words:   "%s, a shell, reads its terminal and would run it",
		release: "It goes when its own program runs there: start it in the shell (parley attach %[1]s).",
		lasting: "a shell has read %s's terminal",
		ends:    onlyByPerson,
		reader:  true,
	},
	HoldQuestion: {
		words:   "its screen asks something, and the text would answer it%s",
		release: "It goes when that is answered: parley answer %[1]s. parley never answers for you.",
		ends:    byPerson,
	},
	HoldSecret: {
		words:   "its terminal asks for something secret, and the text would be taken for it%s",
		release: "It goes when that is answered: parley attach %[1]s. parley never answers.",
		ends:    byPerson,
	},
	HoldNewPlace: {
		words:   "messages may not belong where its cursor stands%s",
		release: "It goes when that is answered, or when you say that messages belong there: parley answer %[1]s.",
		ends:    byPerson,
	},
	HoldNoReader: {
		words:   "no program reads its terminal now",
		release: "It goes when its program reads what is typed. parley screen %[1]s shows what it does.",
		brief:   true,
	},
	HoldNotReading: {
		words:   "its program is not reading its terminal (%s bytes wait there)",
		lasting: "%s's program has not read its terminal",
		brief:   true,
		door:    aHook,
	},
	HoldNoisy: {
		words:   "the output in its terminal does not pause",
		lasting: "the output in %s's terminal has not paused",
		brief:   true,
		door:    aHook,
	},
	HoldOwnText: {
		words:   "parley's own text stands unsent in its terminal: press Enter there, or clear it",
		release: "It goes when that text is sent or cleared: parley attach %[1]s.",
		lasting: "parley's own text has stood unsent in %s's terminal",
		ends:    withOwnText,
		door:    anyDoor,
		left:    "It is parley's own: press Enter there, or clear it.",
	},
	HoldUnsent: {
		words: "parley's own text (message %s) was pasted without its Enter, and may stand in its terminal unseen",
		release: "It goes when you have seen to that message: parley retry presses its Enter; or press Enter or " +
			"clear it yourself (parley attach %[1]s), and say so with parley needs --dismiss.",
		lasting: "parley's own text may have stood unseen in %s's terminal",
		ends:    withOwnText,
		door:    anyDoor,
		left: "Press Enter there, or clear it. Then take it off the list: parley needs --dismiss ID. " +
			"Or let parley press its Enter: parley retry ID.",
	},
	HoldRecalled: {
		words:   "a text that parley typed before stands in its composer again, and Enter would give it twice",
		release: "It goes when that text is cleared, not sent: parley attach %[1]s.",
		lasting: "a text that was typed before has stood in %s's composer again",
		ends:    withOwnText,
		left:    "Clear it there: with Enter the agent would get that message twice.",
	},
	HoldSettling: {words: "it has only just come to rest", brief: true, door: aHook},
	HoldBusy:     {words: "it is busy%s", lasting: "%s has been busy", brief: true, with: StateBusy, door: anyDoor},
	HoldDialog: {
		words:   "a dialog is open in its terminal, and the text would answer it",
		release: "It goes when the dialog is answered: parley answer %[1]s. parley never answers it for you.",
		lasting: "%s has had a question open",
		ends:    byPerson,
		with:    StateWaiting,
		door:    anyDoor,
	},
	HoldDraft: {
		words:   "an unsent draft stands in its composer",
		release: "It goes when the draft is sent or cleared: parley attach %[1]s. parley leaves it alone.",
		lasting: "an unsent draft has stood in %s's composer",
		ends:    withDraft,
		with:    StateDrafting,
		door:    anyDoor,
	},
	HoldBlocked: {words: "it is blocked (%s)", lasting: "%s has been blocked", with: StateBlocked},
	HoldLimit: {
		words: "it has reached its usage limit%s",
		release: "It goes when %[1]s works again, or at once with parley retry. With resume_after_limit: true it " +
			"goes once the limit has ended.",
		lasting: "%s has been at its usage limit",
		with:    StateBlocked,
	},
	HoldUnknownScreen: {
		words:   "its screen shows nothing that is known to be ready",
		lasting: "%s's screen has shown nothing that is known to be ready",
		ends:    byPerson,
		brief:   true,
		with:    StateUnknown,
		door:    aHook,
	},
	HoldPersonTyping: {
		words: "someone is typing in its terminal, or has just attached to it",
		brief: true,
		door:  anyDoor,
	},
	HoldKeysUnshown: {
		words: "someone has typed in its terminal, or attached to it, and it has shown nothing since",
		brief: true,
		door:  anyDoor,
	},
	HoldDialogOpened: {
		words:   "a dialog opened in its terminal",
		release: "It goes when the dialog is answered: parley answer %[1]s. parley never answers it for you.",
		lasting: "%s has had a question open",
		ends:    byPerson,
		with:    StateWaiting,
	},
	HoldNotBegun:  {words: "it has not begun on what it was given last", brief: true, with: StateBusy, door: butAHook},
	HoldWrongPane: {words: "the pane is not this agent's any more"},
	HoldNotShown:  {words: "its terminal did not show the text"},
	HoldMixedText: {
		words:   "pasted; Enter waits: somebody's own text is next to it in its composer",
		lasting: "someone's own text has stood with parley's in %s's composer",
		ends:    byPerson,
	},
	HoldLingering: {
		words: "entered, but it still stands in its composer, where someone has typed",
		ends:  byPerson,
	},
	HoldInside: {
		words:   "its program has it, through its own door, and keeps it for later: %s",
		release: "It goes in when %[1]s comes to it, after its turn or a dialog. parley keeps asking.",
	},
	HoldArgument: {
		words:   AsArgument + ": %s",
		release: "It goes in when %[1]s has started: answer what it asks first (parley answer %[1]s).",
	},
	HoldRefused:      {words: "%s"},
	HoldConversation: {words: "%s"},

	EndedTerminated:  {words: "the agent is terminated"},
	EndedExpired:     {words: "it waited too long"},
	EndedInterrupted: {words: "typing was interrupted before the paste"},
	EndedOutOfStep:   {words: "the terminal was ahead in its count"},
	EndedLost:        {words: "typing had begun: %s"},
	EndedOvertaken:   {words: "the terminal has had later messages"},
	EndedNotEntered: {
		words: "pasted, but Enter was not pressed: %s",
		doubt: "The text may stand unsent in %s's composer, or be gone.",
	},
	EndedNative: {words: "its sender's program sends it with %s, past parley; nothing tells whether it came"},
	EndedUnread: {words: "typed and entered, but its program has not read it yet"},
	EndedUnreported: {
		words: "typed and entered, and gone from its composer; but its program has not reported it, as it does, " +
			"and may have dropped it",
		gone: true,
	},
	EndedLingered: {
		words: "typed and entered, but it stood in its composer while someone typed there, " +
			"and was not seen to be taken after that",
	},
	EndedModeChanged: {
		words: "typed and entered, but its terminal changed its mode or closed meanwhile and may have dropped it",
	},
	EndedUnseen: {words: "typed and entered, but its terminal does not show that it was taken"},
	EndedStanding: {
		words:  "typed and entered, but its text still stands in its composer: press Enter there, or clear it",
		stands: true,
		doubt:  notGot,
	},
	EndedVanished: {words: "its text stood in the terminal, and someone has sent or cleared it", gone: true},
	EndedUndone: {
		words:  "its program had it, and it was taken back before anything came of it: it stands in its composer again",
		stands: true,
		doubt:  notGot,
	},
	EndedDialog: {
		words: "typed and entered; whether it was taken shows when the dialog in its terminal is answered",
	},
	EndedRefused: {words: "refused by the program: its screen shows %s"},
	EndedNoTurn: {
		words: "typed and entered, and gone from its composer; but nothing shows that its program began on it",
		gone:  true,
	},
	EndedDoorAbsent: {words: "its program does not have it: %s"},
	EndedDoorSilent: {
		words: "given to its program through its own door, but nothing shows that a turn holds it: %s",
	},
	EndedArgumentSilent: {
		words: AsArgument + ", but nothing shows that a turn holds it: %s",
	},
	EndedDoorDropped: {words: "given to its program through its own door, and not read: %s"},
	EndedWithdrawn:   {words: "withdrawn: %s"},
	EndedNoAnswer:    {words: "no answer: %s"},
	EndedHostRemoved: {words: "its host %s was removed from the team"},
	EndedBehind: {
		words: "the database was damaged or replaced by a copy, and what it lacks may tell that this was typed",
	},

	ProofStored:     {words: "stored", proves: true},
	ProofOverBudget: {words: "stored in its inbox; %s", proves: true},
	ProofReport:     {words: "its own report names the message", proves: true},
	ProofComposer:   {words: "its composer was emptied of it", proves: true},
	ProofRead: {
		words:  "its program took it from the terminal; nothing more is known of this program",
		proves: true,
	},
	ProofShown:     {words: "its screen shows it among what it was given", proves: true},
	ProofDoor:      {words: "%s", proves: true},
	ProofEntered:   {words: "entered; the profile asks for no look at the screen", proves: true},
	ProofFullText:  {words: "its full text was submitted and confirmed", proves: true},
	ProofAnnounced: {words: "announced: first line typed, %s to fetch"},
	ProofCall:      {words: "%s", proves: true},
	ProofFetched:   {words: "%s, and not typed", proves: true},
	ProofReply:     {words: "its recipient answered it", proves: true},
	ProofSilence:   {words: "%s", proves: true},
	ProofRetried:   {words: "%s", proves: true},
	ProofReleased:  {words: "%s", proves: true},
}

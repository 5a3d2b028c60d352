package profile

import (
	"regexp"
	"time"
)

// Profile is what is known of one agent program. Read it, do not change it: the
// ones in a Set are shared.
type Profile struct {
	Name    string
	Summary string   // one line for people
	Command []string // launched when no command is given; "parley" as its first word is this program

	Version []string // arguments with which the command's first word prints its version; VersionIn finds it
	Tested  []string // versions of the program that the profile was tried with; empty: none

	// OneLine folds line feeds and puts the footer into the same line. It is for
	// programs of which it is not known that they frame pastes: to them each line
	// feed would be an Enter.
	OneLine bool

	// What is longer than one of these is announced by a notice instead of being
	// typed. They measure what would be typed, with header and footer. 0: no limit.
	InlineLines, InlineChars, InlineBytes int

	// Recomposes is that the program rewrites what is typed into its composer in Unicode's
	// form NFC. A text that is not in that form would not arrive as it is, and is
	// announced by a notice.
	Recomposes bool

	Key         string        // what submits: Enter or Tab
	QueueKey    string        // what puts a text into the program's own queue while it works, whole and after the turn; "": it has none that was proven
	Settle      time.Duration // quiet between the text being shown and the key
	ShowWithin  time.Duration // patience for the pasted text to be shown
	TakenWithin time.Duration // patience for the text to leave the composer after the key
	Startup     time.Duration // where no marker tells: how long a program has to take over its terminal
	Quiet       time.Duration // where no marker tells: output quiet for so long is idle

	// Stagger is how far apart a broadcast begins turns in agents of this profile, for
	// providers that limit their rate. 0: all at once.
	Stagger time.Duration

	Markers  Markers
	Handover Handover

	// Reports say what the program's own events mean (see Report), and Titles by which
	// pattern its terminal's title tells a state (see Title); both in ParseSignal's words.
	Reports, Titles map[string]string

	// Programs are how one that runs already is known: each by the name of its program
	// or, with a slash, a part of its path; further words must follow it. None: the name
	// of Command.
	Programs []string
	AddMCP   []string // with which a person gives the program an MCP server, whose own command follows

	dialog, busy, idle     *regexp.Regexp
	composer, empty, paste *regexp.Regexp
	blocked                map[string]*regexp.Regexp
	titles                 []title
}

// Markers are regular expressions, "" where nothing is known; ^ and $ match at
// lines. Dialog, Busy and Idle are looked for in the last 20 lines that are not
// empty.
type Markers struct {
	Dialog string `yaml:"dialog"` // a question is open, and a key would answer it
	Busy   string `yaml:"busy"`
	Idle   string `yaml:"idle"`
	// Composer matches the composer on the whole screen; its group "text" is what
	// stands in it, all rows. The lowest match is the one that counts. A group
	// "frame" is a row of its frame, where something else can stand right of it; a group
	// "cut" matches where more of the text stands above what is shown.
	Composer string `yaml:"composer"`
	Cursor   bool   `yaml:"cursor"` // the cursor is in the composer, or else something lies over it and has the keys
	Empty    string `yaml:"empty"`  // what stands in an empty composer, behind the cursor
	// Blocked are screens that look idle and are not, by what they are: compaction,
	// a usage limit, an error of the model's server. They count before idle.
	Blocked map[string]string `yaml:"blocked"`
	Paste   string            `yaml:"paste"` // what stands for a long paste in the composer
}

// State is what a screen says about the program.
type State string

// The states. Unknown means: do not type because of what the screen says; a
// program without markers is always Unknown.
const (
	Unknown State = "unknown"
	Dialog  State = "dialog"
	Busy    State = "busy"
	Blocked State = "blocked" // see BlockedBy
	Idle    State = "idle"
)

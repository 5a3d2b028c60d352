// Package profile owns the knowledge about each agent program, as data: the command
// that launches it, how much may be typed into it, how long to wait for it, and how to
// read its screen. Profiles are YAML files embedded here. A workspace can change them
// and add its own (Set.With).
//
// # Does our text stand there, unsubmitted?
//
// Composer returns the text in a program's composer, and Holds reports whether our
// message, recognised by its id, is in it. Between paste and key it must be there;
// after the key it must be gone.
//
// A profile with a composer marker knows where the composer is. For any other program
// the composed text is assumed to stand on the cursor's row and to end at the cursor,
// with the full rows above from which it was wrapped. On real programs this means:
//
//   - A program that reads lines (cat, a bash read loop, a Python input() loop) lets
//     the terminal echo. The text is shown up to the cursor even while the program
//     does not read, so it proves that the terminal has the text, not that the program
//     has. After the key the cursor is at the start of a fresh row and Composer is
//     empty (or a new prompt), while the old text stays above.
//   - Readline programs draw the text themselves, in a row that ends at the cursor,
//     wrapped at the width. The same holds.
//   - A program that does not echo (stty -echo, read -s) never shows the text. Composer
//     does not change, which proves nothing. The caller may press the key once the
//     program has read the terminal's queue, or after a timeout.
//   - An unknown full-screen program may hide the cursor or leave it anywhere. If the
//     cursor is after our text, Composer shows it; if not, see above.
//
// If a text ends exactly at the right edge, a terminal leaves the cursor in the last
// column (tmux calls it column = width) and readline moves it to the next row. The
// latter looks like a submitted line, so it counts as empty: the caller waits, and never
// presses twice. The terminal cuts a long canonical line (over 4,095 bytes), and does
// not echo its end with our id.
package profile

import (
	"maps"
	"slices"
	"time"

	"parley/program/transcript"
)

// Profile is what parley knows about one agent program. It is the record that YAML
// files hold, and its compiled patterns. Do not change one: those in a Set are shared.
type Profile struct {
	Name    string   `yaml:"-"`
	Extends string   `yaml:"extends"` // the profile to start from; only while a file is read
	Summary string   `yaml:"summary"` // one line for people
	Command []string `yaml:"command"` // launched if no command is given; a first word "parley" is this program

	// ModelFlag is the flag before the name of a model on the program's command line; "" if it
	// has none.
	ModelFlag string `yaml:"model_flag"`

	Version []string `yaml:"version"` // arguments that print the program's version, see VersionIn
	Tested  []string `yaml:"tested"`  // versions of the program that the profile was tried with; empty: none

	// OneLine folds line feeds and puts the footer into the same line. It is for
	// programs that may not frame pastes: there each line feed would be an Enter.
	OneLine bool `yaml:"one_line"`

	// A text longer than one of these is not typed: its announcement is. Each is a fact of a program that
	// loses or changes a longer one. They limit the typed text with its header and footer. 0: no limit.
	InlineLines int `yaml:"inline_lines"`
	InlineChars int `yaml:"inline_chars"`
	InlineBytes int `yaml:"inline_bytes"`

	// Recomposes says that the program rewrites its composer's text in Unicode's form
	// NFC. A text in another form would not arrive as it is, and is only announced.
	Recomposes bool `yaml:"recomposes"`

	// Garbles matches characters for which the program and tmux count different widths,
	// so that the rows with them push others out of their places. A text with one is
	// only announced.
	Garbles string `yaml:"garbles"`

	Key string `yaml:"key"` // submits: Enter or Tab
	// QueueKey puts a text into the program's own queue while it works, whole and for
	// after the turn. "": no such key is proven.
	QueueKey string `yaml:"queue_key"`

	Settle      time.Duration `yaml:"settle"`       // quiet between the text being shown and the key
	ShowWithin  time.Duration `yaml:"show_within"`  // longest wait for the pasted text to be shown
	TakenWithin time.Duration `yaml:"taken_within"` // longest wait for the text to leave the composer after the key
	// RefusesWithin is how long after a text has left the composer the program may show that
	// it refuses it (see Refusals), or that it begins. 0: the emptied composer is enough.
	RefusesWithin time.Duration `yaml:"refuses_within"`
	Startup       time.Duration `yaml:"startup"` // without markers: time to take over the terminal
	Quiet         time.Duration `yaml:"quiet"`   // without markers: no output for so long means idle

	// Still is how long the screen must not have moved to show rest, for a program of which nothing else tells
	// that it works. 0: its markers tell.
	Still time.Duration `yaml:"still"`

	// Stagger is the time between the turns that a broadcast starts in agents of this
	// profile, for providers that limit their rate. 0: all at once.
	Stagger time.Duration `yaml:"stagger"`

	// FirstShown says that the program drops what comes before it shows the first message of a
	// session in its transcript. The next message waits until that is seen above the composer.
	FirstShown bool `yaml:"first_shown"`

	SignIn string `yaml:"sign_in"` // what a person does there when it is signed out, as a clause

	Markers  Markers  `yaml:"markers"`
	Handover Handover `yaml:"handover,omitempty"`
	Door     Door     `yaml:"door,omitempty"`
	Session  Session  `yaml:"session,omitempty"`
	Sandbox  Sandbox  `yaml:"sandbox,omitempty"`

	// Scripted says how parley profiles check --model tries it.
	Scripted Scripted `yaml:"scripted,omitempty"`

	// Reports maps the program's own events to states. Titles maps states to
	// patterns of its terminal's title (see Title). Both use ParseSignal's words.
	Reports Reports           `yaml:"reports"`
	Titles  map[string]string `yaml:"titles"`

	// Programs recognise a running program: each is the program's name or, with a slash,
	// a part of its path; any further words must follow it on the command line. Empty:
	// the name in Command.
	Programs []string `yaml:"programs"`
	// Transcript says how the program's own transcripts are read: what its models used, which files it
	// wrote. Without a name, parley reads none. TranscriptOpen matches the path of a transcript among the
	// files that the program holds open; it is for a program whose reports do not name it.
	Transcript     transcript.Format `yaml:"transcript,omitempty"`
	TranscriptOpen string            `yaml:"transcript_open"`
	// Kept says where the program keeps its conversations.
	Kept transcript.Kept `yaml:"kept,omitempty"`
	// AddMCP is the command that adds an MCP server to the program's own configuration.
	// The server's command follows it.
	AddMCP []string `yaml:"add_mcp"`
	// NativeTool is the program's own tool for messages to other sessions, "" if it has none. A launched program asks
	// parley before it uses that; an adopted one does not.
	NativeTool string `yaml:"native_tool"`

	patterns patterns
}

// Markers are regular expressions, "" where the screen is not known; ^ and $ match at
// lines. Dialog, Busy, Idle and Blocked are searched in the last 20 lines that are not
// empty.
type Markers struct {
	Dialog string `yaml:"dialog"` // a question is open, and a key would answer it
	// DialogAbove matches rows that stand above a dialog and do not belong to it, and TextOption
	// the label of an option that takes a text. Buttons matches a row of options: its group
	// "text" has the labels, and the chosen one has another background.
	DialogAbove string `yaml:"dialog_above"`
	TextOption  string `yaml:"text_option"`
	Buttons     string `yaml:"buttons"`
	Digits      bool   `yaml:"digits"` // its lists mark an option only by a colour, and a digit chooses one

	Busy string `yaml:"busy"`
	Idle string `yaml:"idle"`
	// Composer matches the composer on the whole screen. Its group "text" is the
	// composed text, all rows. The lowest match counts. A group "frame" is a row of its
	// frame, where something else can stand to the right. A group "cut" matches where
	// more of the text stands above the shown part. The group "tall" takes the place of "text" where the
	// text is so tall that nothing stands below it.
	Composer string `yaml:"composer"`
	Cursor   bool   `yaml:"cursor"` // a cursor outside the composer means that something lies over it and has the keys
	// Footer matches rows below the composer that show a state. Other rows there can be the status line that the
	// user writes, and show none. "": all do.
	Footer string `yaml:"footer"`
	Empty  string `yaml:"empty"` // the hint in an empty composer, after the cursor
	// Blocked holds screens that look idle and are not, by their cause: compaction, a
	// usage limit, an error of the model's server. They count before idle.
	Blocked map[string]string `yaml:"blocked"`
	// Refusals are those causes in Blocked that make the program refuse a text by itself: it
	// takes the text from its composer, and no model gets it.
	Refusals []string `yaml:"refusals"`
	// Answer matches what stands below a text only if the program has not refused it: that its model answers.
	Answer string `yaml:"answer"`
	// Resets finds, in the words of a usage limit in one line, those that say when it ends, as the
	// group "text", see ParseReset.
	Resets string `yaml:"resets"`
	// Quota finds a warning that a quota is nearly used: the groups "used" in percent, "name" of what, and "text",
	// the words that say when it begins again, see ParseReset.
	Quota string `yaml:"quota"`
	Paste string `yaml:"paste"` // the placeholder for a long paste in the composer

	// Questions and Dialogs are for programs without Idle, by what they ask for, see Asks.
	// Upper and lower case do not count. Questions match the end of the text before the
	// cursor, and Dialogs are searched in the last 20 lines that are not empty.
	Questions map[string]string `yaml:"questions"`
	Dialogs   map[string]string `yaml:"dialogs"`
}

// State is what a screen shows about the program.
type State string

// The states. Unknown means that the screen gives no reason to type; a program without
// markers is always Unknown.
const (
	Unknown State = "unknown"
	Dialog  State = "dialog"
	Busy    State = "busy"
	Blocked State = "blocked" // see Reading.Cause
	Idle    State = "idle"
)

// clone returns a copy of the record that shares nothing with p.
func (p *Profile) clone() *Profile {
	c := *p
	c.Extends, c.patterns = "", patterns{}
	for _, list := range []*[]string{&c.Command, &c.Version, &c.Tested, &c.Programs, &c.AddMCP, &c.Markers.Refusals} {
		*list = slices.Clone(*list)
	}
	for _, m := range []*map[string]string{
		&c.Markers.Blocked, &c.Markers.Questions, &c.Markers.Dialogs, &c.Titles,
	} {
		*m = maps.Clone(*m)
	}
	c.Reports = maps.Clone(p.Reports)
	c.Handover, c.Session, c.Transcript = p.Handover.clone(), p.Session.clone(), p.Transcript.Clone()
	c.Kept = p.Kept.Clone()
	c.Scripted, c.Door, c.Sandbox = p.Scripted.clone(), p.Door.clone(), p.Sandbox.clone()
	return &c
}

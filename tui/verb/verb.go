// Package verb is the table of what keys do. A key means one thing wherever keys are for the same, and an act has the
// same key on every screen. The rooms bind their functions to verbs; help, key line, settings and docs follow.
package verb

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

// Verb is an act that keys are for.
type Verb int

// Mode is what keys are for at a time. Where letters are answers or text, they cannot be commands.
type Mode int

// The modes.
const (
	Lists     Mode = iota // the screens, and what lies over them: tiles, a review, a page
	Questions             // a question: each letter is an answer
	Lines                 // a line, or a form of lines, that is being written
	Message               // the text of a message that is being written
)

// The verbs, in the order of the table in the docs.
const (
	Choose Verb = iota
	Next
	Previous
	Up
	Down
	PageUp
	PageDown
	Top
	Bottom
	Open
	Switch
	SwitchBack
	Back
	Leave
	Help
	Select
	Write
	WriteTo
	Reply
	Broadcast
	Steer
	Attach
	Tiles
	Review
	Pause
	Launch
	Workspaces
	Past
	Planned
	Run
	Filter
	Find
	GoTo
	OpenText
	CopyText
	CopyID
	Undo
	Fold
	View
	Follow
	Order
	Explain
	Export
	Dismiss
	Retry
	Release
	Restart
	Handoff
	Stop
	SendKeys
	New
	More
	Fewer
	Join
	Cool
	Mute
	NextHunk
	PreviousHunk
	Merge
	Remove

	Yes
	No
	Keep

	Accept
	Complete
	LineBefore
	ChoiceAfter
	ChoiceBefore
	LineDown
	LineUp
	PageAfter
	PageBefore
	ShowAll
	Rub
	RubWord
	Close

	Send
	NewLine
	Recipients
	Priority
	Deadline
	Editor

	verbs
)

// Row is what the table says of a verb.
type Row struct {
	Mode Mode
	Name string // in one word or a few
	Keys string // that the help shows, separated by spaces
	also string // more keys, that the help leaves out
	Asks bool   // it ends or changes what cannot be brought back, so it asks first
	Does string
}

// table has the verbs. Also in questions, letters that a dialog does not use have the meaning that they have in lists.
var table = [verbs]Row{
	Choose: {Lists, "choose", "1–9", "1 2 3 4 5 6 7 8 9", false,
		"choose by number: a screen, or an option of a question"},

	Next:     {Lists, "next", "→ ]", "", false, "the next screen, tile or file"},
	Previous: {Lists, "previous", "← [", "", false, "the screen, tile or file before"},

	Up:         {Lists, "up", "↑ k", "", false, "up"},
	Down:       {Lists, "down", "↓ j", "", false, "down"},
	PageUp:     {Lists, "page up", "pgup ctrl+u", "", false, "a page up"},
	PageDown:   {Lists, "page down", "pgdn ctrl+d", "", false, "a page down"},
	Top:        {Lists, "top", "g home", "", false, "to the top"},
	Bottom:     {Lists, "bottom", "G end", "", false, "to the bottom, the newest"},
	Open:       {Lists, "open", "enter", "", false, "open it, or take the best action"},
	Switch:     {Lists, "switch", "tab", "", false, "between a list and what it shows"},
	SwitchBack: {Lists, "switch back", "shift+tab", "", false, "the same, backwards"},
	Back:       {Lists, "back", "esc", "", false, "one step back"},
	Leave:      {Lists, "quit", "q ctrl+c", "", false, "leave what is shown; on a screen, quit: agents keep running"},
	Help:       {Lists, "help", "?", "", false, "all keys"},
	Select:     {Lists, "select", "space", "", false, "select it, or no longer"},

	Write:     {Lists, "write", "c", "", false, "write to the agent, in the thread, or a comment on a line"},
	WriteTo:   {Lists, "write to several", "w", "", false, "write to several, a group, or all"},
	Reply:     {Lists, "reply", "r", "", false, "reply: to a message, a question or a change"},
	Broadcast: {Lists, "broadcast", "b", "", false, "broadcast to all, or to those selected"},
	Steer:     {Lists, "steer", "s", "", false, "steer the agent: guidance it must see"},
	Attach:    {Lists, "attach", "a", "", false, "attach to the agent's terminal"},

	Tiles:      {Lists, "tiles", "t", "", false, "tiles: live terminals, who needs you first"},
	Review:     {Lists, "review", "d", "", false, "see what the agent has changed"},
	Pause:      {Lists, "pause or resume", "p", "", true, "pause or resume all, or those selected"},
	Launch:     {Lists, "launch", "L", "", false, "launch an agent"},
	Workspaces: {Lists, "show workspaces", "W", "", false, "your workspaces, also of other machines"},
	Past:       {Lists, "show conversations", "H", "", false, "conversations that programs had before: take one up"},
	Planned:    {Lists, "show schedules", "P", "", false, "messages that are planned: pause, resume or remove them"},
	Run:        {Lists, "run", ": ctrl+p", "", false, "run any command"},
	Filter:     {Lists, "filter", "/", "", false, "filter the list that is shown"},
	Find:       {Lists, "find messages", "f", "", false, "find messages of the whole workspace"},
	GoTo:       {Lists, "go to", "'", "", false, "go to an agent, thread, need or message by name"},
	OpenText:   {Lists, "open text", "e", "", false, "open it in your editor or pager"},
	CopyText:   {Lists, "copy text", "y", "", false, "copy the message's text, or the terminal"},
	CopyID:     {Lists, "copy id", "Y", "", false, "copy the id, or the agent's name"},
	Undo:       {Lists, "undo", "u", "", false, "undo the last action"},

	Fold:     {Lists, "fold", "z", "", false, "fold, or unfold"},
	View:     {Lists, "view", "v", "", false, "show what is next to it, or hide it"},
	Follow:   {Lists, "follow", "F", "", false, "follow the newest, or pause"},
	Order:    {Lists, "order", "o", "", false, "order them in another way"},
	Explain:  {Lists, "explain", "i", "", false, "explain it: what happened, who is to answer"},
	Export:   {Lists, "export", "E", "", false, "export to a file"},
	Dismiss:  {Lists, "dismiss", "x", "", false, "done with it: mark it read, or take it off the list"},
	Retry:    {Lists, "retry", "T", "", false, "try it again"},
	Release:  {Lists, "release", "l", "", false, "release what is held"},
	Restart:  {Lists, "restart", "R", "", true, "restart the agent, with its conversation"},
	Handoff:  {Lists, "hand over", "h", "", false, "let another program go on with the agent's work"},
	Stop:     {Lists, "stop", "S", "", true, "stop the agent; its messages are kept"},
	SendKeys: {Lists, "keys", "K", "", false, "send keys to a terminal that asks"},

	New:          {Lists, "new", "O", "", false, "open a new thread"},
	More:         {Lists, "more", "+", "=", false, "one more: of a thread's participants, of tiles"},
	Fewer:        {Lists, "fewer", "-", "", false, "one less: of a thread's participants, of tiles"},
	Join:         {Lists, "join", "J", "", false, "join the thread, or leave it"},
	Cool:         {Lists, "cool", "C", "", false, "cool the thread: 10 min, or until a person writes"},
	Mute:         {Lists, "mute", "M", "", false, "mute the thread, or unmute it"},
	NextHunk:     {Lists, "next change", "n", "", false, "the next change"},
	PreviousHunk: {Lists, "previous change", "N", "", false, "the change before"},
	Merge:        {Lists, "merge", "m", "", true, "merge the agent's branch"},
	Remove:       {Lists, "remove", "D", "", true, "stop the agent and remove its worktree; remove the schedule"},

	Yes:  {Questions, "yes", "y", "Y", false, "yes, do it"},
	No:   {Questions, "no", "n", "N", false, "no, cancel"},
	Keep: {Questions, "keep", "k", "", false, "keep the worktree; the agent goes on"},

	Accept:       {Lines, "accept", "enter", "", false, "accept what is written"},
	Complete:     {Lines, "complete", "tab", "", false, "complete it, or go on to the next"},
	LineBefore:   {Lines, "before", "shift+tab", "", false, "the field before"},
	ChoiceAfter:  {Lines, "choice", "→", "", false, "the next choice"},
	ChoiceBefore: {Lines, "choice before", "←", "", false, "the choice before"},
	LineDown:     {Lines, "next line", "↓ ctrl+n", "", false, "down, while a line is written"},
	LineUp:       {Lines, "line before", "↑ ctrl+p", "", false, "up, while a line is written"},
	PageAfter:    {Lines, "page after", "pgdn", "", false, "a page down, while a line is written"},
	PageBefore:   {Lines, "page before", "pgup", "", false, "a page up, while a line is written"},
	ShowAll:      {Lines, "show all", "ctrl+u", "", false, "show everything again"},
	Rub:          {Lines, "rub", "backspace", "ctrl+h", false, "delete a character"},
	RubWord:      {Lines, "rub word", "ctrl+w", "alt+backspace", false, "delete a word"},
	Close:        {Lines, "close", "esc", "ctrl+c", false, "close; what is written is kept where it says so"},

	Send:       {Message, "send", "enter", "", false, "send the message"},
	NewLine:    {Message, "new line", "ctrl+j", "alt+enter shift+enter", false, "a new line"},
	Recipients: {Message, "to", "tab", "", false, "change the recipients"},
	Priority:   {Message, "priority", "ctrl+p", "", false, "priority: low, normal, high, urgent"},
	Deadline:   {Message, "answer", "ctrl+r", "", false, "require an answer by a deadline"},
	Editor:     {Message, "editor", "ctrl+o", "", false, "write in your $EDITOR"},
}

// All returns the table.
func All() []Row { return table[:] }

// Named returns the verb of a name.
func Named(name string) Verb {
	return Verb(slices.IndexFunc(table[:], func(r Row) bool { return r.Name == name }))
}

// Row returns what the table says of the verb.
func (v Verb) Row() Row { return table[v] }

// To returns the binding of the verb's keys, and of those of more verbs, to a function. does says it for the place
// where the keys are; "" is the table's.
func (v Verb) To(does string, run func() tea.Cmd, more ...Verb) kit.Binding {
	r := table[v]
	if does == "" {
		does = r.Does
	}

	b := kit.Bind(r.Keys, does, run, strings.Fields(r.also)...)
	if v == Choose {
		b = kit.Bind(r.also, does, run)
		b.Show = r.Keys
	}
	b.Verbs = []string{r.Name}
	for _, x := range more {
		b = b.With(x.To("", run))
	}

	return b
}

// At returns the binding of one of the verb's digits.
func (v Verb) At(digit, does string, run func() tea.Cmd) kit.Binding {
	b := kit.Bind(digit, does, run)
	b.Verbs = []string{table[v].Name}
	return b
}

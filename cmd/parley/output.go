package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"

	"parley"
)

// The styles of human output, as SGR parameters.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// output is where a command prints, and what its words depend on.
type output struct {
	at       surroundings
	out, err *os.File
	now      func() time.Time
	json     bool // --json
	warned   *warnings

	goesOn string // what goes on without this command, for a person who interrupts it; "" for nothing
}

// styled reports whether to write colours to f: it is a terminal, and NO_COLOR is not
// set (https://no-color.org).
func (o *output) styled(f *os.File) bool {
	return isTerminal(f) && o.at.env.Get("NO_COLOR") == "" && o.at.env.Get("TERM") != "dumb"
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

func (o *output) paint(style, text string) string { return o.paintFor(o.out, style, text) }

func (o *output) paintFor(f *os.File, style, text string) string {
	if style == "" || text == "" || !o.styled(f) {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// fail reports an error: on standard error with the next step, or with --json as an
// object on standard output.
func (o *output) fail(err error) {
	e := parley.AsError(err)
	if o.json {
		_ = o.printJSON(e)
		return
	}
	message, action := o.at.shown(strings.TrimRight(e.Message, "\n")), o.at.shown(forPeople(e.Action))
	fmt.Fprintf(o.err, "%s %s\n", o.paintFor(o.err, red, "parley:"), message)
	if action != "" {
		fmt.Fprintln(o.err, o.at.shown(o.paintFor(o.err, faint, "  → ")+action))
	}
}

// commandOf names the command of an operation. Errors name operations in their next
// steps; people need the commands.
var commandOf = map[string]string{
	"get_agent_status":       "parley agents",
	"send_message":           "parley send",
	"check_inbox":            "parley inbox",
	"get_messages":           "parley read",
	"get_needs":              "parley needs",
	"transfer_file":          "parley send-file",
	"steer_agent":            "parley steer",
	"register_agent":         "parley register",
	"list_threads":           "parley thread list",
	"join_thread":            "parley thread join",
	"get_thread_details":     "parley thread show",
	"get_conversation_state": "parley conversation show",
	"list_sessions":          "parley sessions",
}

var operationName = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)

// forPeople replaces operations by commands.
func forPeople(action string) string {
	return operationName.ReplaceAllStringFunc(action, func(name string) string { return cmp.Or(commandOf[name], name) })
}

// printJSON writes a value as a line of JSON.
func (o *output) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return printRaw(o, string(b))
}

func (o *output) printLine(line string) error { return printRaw(o, o.at.shown(line)) }

// printRaw writes a line as it is, such as JSON.
func printRaw(o *output, line string) error {
	_, err := io.WriteString(o.out, line+"\n")
	return err
}

func (o *output) printf(format string, args ...any) {
	fmt.Fprint(o.out, o.at.shown(fmt.Sprintf(format, args...)))
}

// styling matches what paint writes, and the colours of an agent's screen.
var styling = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// harmless returns a text for people without what text of others could do to their terminal: control characters, and
// those that change the direction of writing, with which a text shows something other than it says.
func harmless(text string) string {
	if !strings.ContainsFunc(text, harmful) {
		return text
	}
	var b strings.Builder
	end := 0
	for _, at := range styling.FindAllStringIndex(text, -1) {
		b.WriteString(strings.Map(shownRune, text[end:at[0]]) + text[at[0]:at[1]])
		end = at[1]
	}
	return b.String() + strings.Map(shownRune, text[end:])
}

func harmful(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

func shownRune(r rune) rune {
	if harmful(r) {
		return unicode.ReplacementChar
	}
	return r
}

// ago formats the time since t in the largest unit that fits, "" for the zero time.
func (o *output) ago(t time.Time) string {
	d := o.now().Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func clock(t time.Time) string { return t.Local().Format("15:04:05") }

// reasonText returns a reason without the error code that JSON keeps at its beginning.
func reasonText(code parley.ReasonCode, reason string) string {
	if code == parley.HoldConversation {
		return strings.TrimPrefix(reason, string(parley.ConversationHeld)+": ")
	}
	return reason
}

func rungStyle(s parley.DeliveryState) string {
	switch {
	case s.Delivered():
		return green
	case s.Failed():
		return red
	}
	return yellow
}

func agentStyle(s parley.AgentState) string {
	switch {
	case s == parley.StateIdle:
		return green
	case s.Live():
		return yellow
	case s == parley.StateTerminated:
		return faint
	}
	return red
}

// size formats bytes in the unit that fits.
func size(bytes int64) string {
	n := float64(bytes)
	for _, unit := range []string{"bytes", "kB", "MB"} {
		if n < 1000 {
			return strconv.FormatFloat(n, 'f', 0, 64) + " " + unit
		}
		n /= 1000
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + " GB"
}

// warnings are what a command has warned of. One that calls the daemon often says each only once.
type warnings struct {
	mu   sync.Mutex
	said map[string]bool
}

// print prints a warning, unless this command has printed it before.
func (w *warnings) print(o *output, form string, args ...any) {
	text := fmt.Sprintf(form, args...)
	if w.isNew(text) {
		fmt.Fprintf(o.err, "%s %s\n", o.paintFor(o.err, yellow, "parley:"), text)
	}
}

// isNew notes a warning, and reports whether it was not given before.
func (w *warnings) isNew(text string) bool {
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said[text] {
		return false
	}
	if w.said == nil {
		w.said = map[string]bool{}
	}
	w.said[text] = true
	return true
}

// passing is a line on a terminal that says how far a command is, until it is cleared.
type passing struct {
	to    *os.File // nil: nothing is shown
	shown bool
}

// passing returns such a line. It is not shown with --json, and where lines are not drawn again.
func (o *output) passing() *passing {
	if o.json || !redraws(o.at.env, o.err) {
		return &passing{}
	}
	return &passing{to: o.err}
}

func (p *passing) visible() bool { return p.to != nil }

// show puts a text in the place of the one before.
func (p *passing) show(format string, args ...any) {
	if p.visible() {
		p.shown = true
		fmt.Fprintf(p.to, "\r\x1b[K"+format, args...)
	}
}

func (p *passing) clear() {
	if p.shown {
		p.shown = false
		fmt.Fprint(p.to, "\r\x1b[K") // with the ^C that the terminal may have shown there
	}
}

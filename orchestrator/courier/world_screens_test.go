package courier

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/program/profile"
)

// scenery is what a simulated program wants to show.
type scenery struct {
	above     []string // the end of its transcript, one entry a prompt
	composer  string
	working   bool
	blocked   bool
	dialog    bool
	refused   bool
	answered  bool   // the last prompt
	asks      string // what no marker knows, in place of the composer
	blank     bool   // it has not drawn yet
	launches  bool   // a launcher runs
	prompts   bool   // it reads lines behind a sign
	behind    bool   // a shell has the terminal behind it
	shellLine string
	form      string // the text in it
	suggests  bool   // a next prompt, while the composer is empty
	home      bool   // the cursor is at the begin of the composer
	width     int
}

// same reports whether another view shows the same.
func (v *scenery) same(o *scenery) bool {
	return v.composer == o.composer && v.working == o.working && v.blocked == o.blocked && v.dialog == o.dialog &&
		v.blank == o.blank && v.refused == o.refused && v.answered == o.answered && v.asks == o.asks &&
		v.launches == o.launches && v.behind == o.behind && v.shellLine == o.shellLine && v.suggests == o.suggests &&
		v.home == o.home && v.form == o.form && v.width == o.width && slices.Equal(v.above, o.above)
}

// picture is a drawn screen.
type picture struct {
	lines  []string
	styled []string // the same with colours; nil: it has none
	x, y   int      // of the cursor
	title  string
	hidden bool // the cursor
	dialog bool // a dialog is on it
	busy   bool
	text   string // that stands in its composer
}

// face draws the screens of one program, as small as its profile recognises them.
type face struct {
	dialog, busy, blocked []string
	busyBelow             bool // below the composer
	open, close           []string
	prompt                string // before the first row of the composer
	indent                string // before its other rows
	hint                  string // in an empty composer
	placeholder           func(text string) string
	transcript            string // before a prompt in the transcript
	refused               []string
	answer                string // of its model
}

const rule = "────────────────────────────"

var faces = map[string]face{
	"claude": {
		dialog: []string{" Do you want to proceed?", " ❯ 1. Yes", "   2. No"},
		busy:   []string{"✻ Thinking… (3s)"}, blocked: []string{"● API Error: 500 server error"},
		open: []string{rule}, prompt: "❯ ", indent: "  ", close: []string{rule, "  ? for shortcuts"}, hint: `Try "fix the test"`,
		placeholder: lineCount("[Pasted text #1 +%d lines]", -1), transcript: "> ",
		refused: []string{"  ⎿  Not logged in · Please run /login"}, answer: "● Done.",
	},
	"codex": {
		dialog:  []string{"  Allow the command?", "› 1. Yes, proceed", "  2. No"},
		busy:    []string{"• Working (3s • esc to interrupt)", ""},
		blocked: []string{"■ exceeded retry limit, last status: 500", ""},
		prompt:  "› ", indent: "  ", close: []string{"", "  gpt-5 · /src/garden"}, hint: "Ask Codex to do anything",
		placeholder: charCount("[Pasted Content %d chars]"), transcript: "| ",
		refused: []string{"■ Missing environment variable: `OPENAI_API_KEY`.", ""}, answer: "• Done.",
	},
	"gemini": {
		dialog: []string{"│ Allow execution?          │", "│ ● 1. Allow once           │",
			"╰───────────────────────────╯"},
		busy: []string{" ⠏ Thinking… (esc to cancel, 3s)"}, blocked: []string{"✕ [API Error: 500]"},
		open: []string{rule, " ? for shortcuts", strings.Repeat("▄", 28)}, prompt: " > ", indent: "   ",
		close: []string{strings.Repeat("▀", 28), " workspace"}, placeholder: lineCount("[Pasted Text: %d lines]", 0),
		transcript: " > ",
	},
	"opencode": {
		dialog:  []string{"  ┃  △ Permission required", "  ┃   Allow once   Reject  enter confirm", "  ┃"},
		blocked: []string{},
		open:    []string{"  ┃"}, prompt: "  ┃  ", indent: "  ┃  ",
		close: []string{"  ┃", "  ┃  Build · scripted", "  ╹"}, busyBelow: true,
		busy: []string{"   ■■■■⬝⬝  esc interrupt"},
		hint: "Ask anything… ", placeholder: lineCount("[Pasted ~%d lines]", 0), transcript: "   ",
	},
	"qwen": {
		dialog: []string{"│ Allow?", "│ › 1. Yes, allow once", "│   2. No"},
		busy:   []string{"  ⠋ Thinking (3s)"}, blocked: []string{"  ✕ [API Error: 500] (Press Ctrl+Y to retry)"},
		open: []string{rule}, prompt: "> ", indent: "  ", close: []string{rule, "  ? for shortcuts"},
		placeholder: charCount("[Pasted Content %d chars]"), transcript: "  > ",
	},
	"copilot": {
		dialog: []string{"│ Do you want to run this?", "│ ❯ 1. Yes", "│   2. No"},
		busy:   []string{" ◎ Working"}, busyBelow: true,
		blocked: []string{" ✗ 500 Internal Server Error", " ~/src/garden"},
		open:    []string{rule}, prompt: "❯ ", indent: "  ", close: []string{rule},
		placeholder: lineCount("[Paste #1 - %d lines]", 0), transcript: " ◆ ",
		refused: []string{" ✗ You must be logged in to send messages. Please run /login.", " ~/src/garden"},
	},
	"generic": {prompt: "> "},
}

func lineCount(form string, more int) func(string) string {
	return func(text string) string { return fmt.Sprintf(form, strings.Count(text, "\n")+1+more) }
}

func charCount(form string) func(string) string {
	return func(text string) string { return fmt.Sprintf(form, utf8.RuneCountInString(text)) }
}

// draw returns the screen of a view.
func (f *face) draw(v *scenery) picture {
	switch {
	case v.launches:
		return launcher(v)
	case v.blank:
		return picture{lines: []string{""}}
	}

	p := picture{busy: v.working && f.busy != nil}
	for _, prompt := range v.above {
		p.lines = append(p.lines,
			wrapped(prompt, f.transcript, strings.Repeat(" ", utf8.RuneCountInString(f.transcript)), v.width)...)
	}
	if v.answered && f.answer != "" {
		p.lines = append(p.lines, f.answer, "")
	}
	switch {
	case v.behind:
		p.prompt("user@host:~$ "+v.shellLine, v.width)
		p.busy = false
		return p
	case v.dialog && v.asks != "":
		p.ask(v)
		if v.asks != "form" {
			return p
		}
	}
	if v.dialog && v.asks == "" && f.dialog != nil {
		p.lines, p.dialog, p.busy = append(p.lines, f.dialog...), true, false
		p.y = len(p.lines) - 1
		return p
	}

	switch {
	case v.working && !f.busyBelow:
		p.lines = append(p.lines, f.busy...)
	case v.refused && !v.working:
		p.lines = append(p.lines, f.refused...)
	case v.blocked && !v.working:
		p.lines = append(p.lines, f.blocked...)
	}
	p.lines = append(p.lines, f.open...)
	p.compose(f, v)
	for _, row := range f.close {
		if strings.HasSuffix(row, "╹") {
			row += strings.Repeat("▀", v.width-3)
		}
		p.lines = append(p.lines, row)
	}
	if v.working && f.busyBelow {
		p.lines = append(p.lines, f.busy...)
	}
	if p.styled != nil {
		p.styled = append(p.styled, p.lines[len(p.styled):]...)
	}

	return p
}

func (p *picture) compose(f *face, v *scenery) {
	p.text = v.composer
	if v.composer == "" && v.suggests {
		p.x, p.y = utf8.RuneCountInString(f.prompt), len(p.lines)
		p.styled = append(slices.Clone(p.lines), f.prompt+"\x1b[7mr\x1b[0;2mun the tests\x1b[0m")
		p.lines = append(p.lines, f.prompt+"run the tests")
		return
	}
	if v.composer == "" && f.hint != "" {
		p.x, p.y = utf8.RuneCountInString(f.prompt), len(p.lines)
		p.lines = append(p.lines, f.prompt+f.hint)
		return
	}
	first := len(p.lines)
	p.lines = append(p.lines, wrapped(v.composer, f.prompt, f.indent, v.width)...)
	p.y = len(p.lines) - 1
	p.x = utf8.RuneCountInString(p.lines[p.y])
	if v.home {
		p.x, p.y = utf8.RuneCountInString(f.prompt), first
	}
}

// wrapped breaks a text into rows.
func wrapped(text, first, others string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		for {
			before := others
			if len(rows) == 0 {
				before = first
			}
			room := max(8, width-utf8.RuneCountInString(before))
			if utf8.RuneCountInString(line) <= room {
				rows = append(rows, before+line)
				break
			}
			head := string([]rune(line)[:room])
			if at := strings.LastIndexByte(head, ' '); at > room/2 && others != "" { // a terminal breaks anywhere
				head = head[:at+1]
			}
			rows = append(rows, strings.TrimRight(before+head, " "))
			line = line[len(head):]
		}
	}
	return rows
}

func TestProfilesRecogniseTheWorld(t *testing.T) {
	set := must(profile.Builtin())
	message := parley.Message{ID: "5f0c21aa", Sender: "ann", SenderID: "12345678", Text: "please rebase\nsecond line"}
	typed := message.Header("87654321") + " " + message.Text + "\n" + message.Footer(false, "")

	for name, f := range faces {
		p := must(set.Find(name))
		if !p.HasMarkers() {
			continue
		}
		for _, width := range []int{48, 120} {
			for _, c := range []struct {
				what string
				view scenery
				want profile.State
				text string // in the composer, without space; "-": no composer
			}{
				{"idle", scenery{}, profile.Idle, ""},
				{"idle after a message", scenery{above: []string{typed}}, profile.Idle, ""},
				{"busy", scenery{working: true, above: []string{typed}}, profile.Busy, ""},
				{"dialog", scenery{dialog: true, above: []string{typed}}, profile.Dialog, "-"},
				{"blocked", scenery{blocked: true}, profile.Blocked, ""},
				{"refused", scenery{refused: true, above: []string{typed}}, profile.Blocked, ""},
				{"launcher", scenery{launches: true}, profile.Unknown, "-"},
				{"shell behind", scenery{behind: true, above: []string{typed}}, profile.Unknown, "-"},
				{"asks by a line", scenery{dialog: true, asks: "line", above: []string{typed}}, profile.Unknown, "-"},
				{"asks by words", scenery{dialog: true, asks: "words", above: []string{typed}}, profile.Unknown, "-"},
				{"asks by a menu", scenery{dialog: true, asks: "menu", above: []string{typed}}, profile.Unknown, "-"},
				{"shows a form", scenery{dialog: true, asks: "form", above: []string{typed}}, profile.Idle, ""},
				{"shows news", scenery{dialog: true, asks: "news", above: []string{typed}}, profile.Unknown, "-"},
				{"draft", scenery{composer: "my own words"}, profile.Idle, "my own words"},
				{"draft with the cursor before it", scenery{composer: "my own words", home: true}, profile.Idle,
					"my own words"},
				{"suggestion", scenery{suggests: true}, profile.Idle, ""},
				{"ours", scenery{composer: typed}, profile.Idle, typed},
				{"ours at work", scenery{composer: typed, working: true}, profile.Busy, typed},
				{"placeholder", scenery{composer: f.placeholder(typed)}, profile.Idle, f.placeholder(typed)},
			} {
				if c.what == "blocked" && len(f.blocked) == 0 || c.what == "refused" && len(f.refused) == 0 {
					continue
				}
				c.view.width = width
				drawn := f.draw(&c.view)
				screen := profile.Screen{Lines: drawn.lines, Colours: drawn.styled, Width: width, CursorX: drawn.x,
					CursorY: drawn.y}
				text, open := p.Composer(screen)
				if !open {
					text = "-"
				}
				same := strings.Join(strings.Fields(text), "") == strings.Join(strings.Fields(c.text), "")
				if got := p.Look(drawn.lines); got != c.want || !same {
					t.Errorf("%s at %d columns, %s: %v with composer %q, want %v, %q\n%s",
						name, width, c.what, got, text, c.want, c.text, strings.Join(drawn.lines, "\n"))
				}
			}
		}
	}
	if names := slices.Sorted(maps.Keys(faces)); len(names) != 7 {
		t.Errorf("there are %v, want seven kinds", names)
	}
}

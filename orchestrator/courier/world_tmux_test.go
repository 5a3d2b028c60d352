package courier

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/tmux"
)

// The simulated tmux runs the very lines that package tmux composes, with the formats of
// their guards.

// simHandle names a pane, as the real Pane does.
type simHandle struct {
	w  *world
	id string
}

// Target implements tmux.Runner.
func (h simHandle) Target() (string, bool) { return h.id, h.w.story.Traits.Joined }

// Load implements tmux.Runner.
func (h simHandle) Load(text string) (tmux.Buffer, error) {
	h.w.buffer++
	name := "b" + strconv.Itoa(h.w.buffer)
	h.w.buffers[name] = text
	return tmux.Buffer{Name: name, Load: "set-buffer -b " + name}, nil
}

// Submit types with the real loop.
func (h simHandle) Submit(ctx context.Context, s tmux.Submission) (tmux.Outcome, error) {
	return tmux.Submit(ctx, h, s)
}

// Info implements tmux.Runner.
func (h simHandle) Info(ctx context.Context) (info tmux.PaneInfo, err error) {
	err = h.w.command(ctx, "info", func() error {
		p := h.find()
		if p.gone {
			return fmt.Errorf("look at pane %s: %w", p.id, tmux.ErrNoPane)
		}
		info = p.info()
		return nil
	})
	return info, err
}

// Screen implements tmux.Runner.
func (h simHandle) Screen(ctx context.Context, _ tmux.ScreenOptions) (s tmux.Screen, err error) {
	err = h.w.command(ctx, "screen", func() error {
		p := h.find()
		if p.gone {
			return fmt.Errorf("read pane %s: %w", p.id, tmux.ErrNoPane)
		}
		s = p.screen()
		h.w.watch.look()
		return nil
	})
	h.w.watch.answered()
	return s, err
}

// Run implements tmux.Runner.
func (h simHandle) Run(ctx context.Context, compose func(string) string) (out string, err error) {
	line := compose("TOKEN")
	issued, known := time.Now(), h.w.watch.seen()
	err = h.w.command(ctx, kindOf(line), func() error {
		h.w.watch.issued, h.w.watch.known = issued, known
		commands, err := parseLine(line)
		if err != nil {
			return err
		}
		out = h.find().run(commands)
		return nil
	})
	_, out, _ = strings.Cut(out, "TOKEN")
	return out, err
}

func kindOf(line string) string {
	switch {
	case strings.HasPrefix(line, "set-buffer"):
		return "paste"
	case strings.Contains(line, "send-keys"):
		return "key"
	}
	return "run"
}

// find returns the pane with that id on the server that runs now.
func (h simHandle) find() *simPane {
	if p := h.w.pane; p != nil && p.id == h.id {
		return p
	}
	return &simPane{w: h.w, id: h.id, gone: true}
}

// simPane is a pane of the simulated tmux.
type simPane struct {
	w        *world
	id       string
	gone     bool
	options  map[string]string // of the pane and of its session
	program  *program
	dead     bool
	inputOff bool
	shared   bool
	mode     bool
	attached bool
	activity time.Time // a person's last key
	drawn    time.Time // the last output
	held     []func()  // a person's keys that wait
	leaves   int       // counts a person's visits
}

func (p *simPane) info() tmux.PaneInfo {
	number, digit, _ := strings.Cut(p.options["@parley_seq"], ".")
	seq, _ := strconv.ParseUint(number, 10, 64)
	phases := map[string]string{"1": "pasted", "2": "entered", "3": "entered-again"}
	return tmux.PaneInfo{
		ID: p.id, Owner: p.options["@parley_agent"], Seq: seq, Phase: phases[digit], Dead: p.dead,
		InMode: p.mode, InputOff: p.inputOff, Activity: p.drawn.Truncate(time.Second),
	}
}

func (p *simPane) screen() tmux.Screen {
	shown := &p.program.shown
	s := tmux.Screen{
		Lines: shown.lines, Width: p.program.width, Height: 50, CursorX: shown.x, CursorY: shown.y, Title: shown.title,
		InMode: p.mode, InputOff: p.inputOff, Shared: p.shared, Dead: p.dead, Drawn: p.drawn.Truncate(time.Second),
	}
	if p.attached {
		s.Touched = p.activity.Truncate(time.Second)
	}
	return s
}

// run runs commands and returns what the last one printed.
func (p *simPane) run(commands []simCommand) (out string) {
	for _, c := range commands {
		switch c.words[0] {
		case "set-buffer": // its text is there
		case "delete-buffer":
			delete(p.w.buffers, c.flag("-b"))
		case "if-shell":
			if v := p.expand(c.last()); v != "" && v != "0" {
				out = p.run(c.blocks[0])
			} else if len(c.blocks) > 1 {
				out = p.run(c.blocks[1])
			}
		case "display-message":
			out = p.expand(c.last())
		case "paste-buffer":
			p.paste(c)
		case "send-keys":
			p.key(c.last())
		case "copy-mode":
			p.mode = false
		case "set-option":
			p.set(c)
		case "run-shell":
			delay, _ := strconv.ParseFloat(c.flag("-d"), 64)
			p.w.after(time.Duration(delay*float64(time.Second)), func() { p.run(c.blocks[0]) })
		default:
			panic("the simulated tmux does not know " + c.words[0])
		}
	}
	return out
}

func (p *simPane) set(c simCommand) {
	switch {
	case p.gone:
	case c.has("-u"):
		delete(p.options, c.last())
	default:
		p.options[c.words[len(c.words)-2]] = c.last()
	}
}

func (p *simPane) paste(c simCommand) {
	name := c.flag("-b")
	text := p.w.buffers[name]
	delete(p.w.buffers, name)
	p.w.watch.pasted(p, text)
	if p.gone || p.inputOff || p.dead {
		return
	}
	p.program.input(chunk{text: text, paste: true, raw: !c.has("-p") || !c.has("-r")})
}

func (p *simPane) key(key string) {
	p.w.watch.pressed(p, key)
	if p.gone || p.inputOff || p.dead || p.mode {
		return
	}
	p.program.input(chunk{key: key})
}

// personKey gives a person's input to the program, after what waits.
func (p *simPane) personKey(give func()) {
	p.activity = time.Now()
	if len(p.held) > 0 {
		p.held = append(p.held, give)
		return
	}
	if p.options["key-table"] == "" {
		give()
		return
	}
	p.held = append(p.held, give)
	delete(p.options, "key-table")
	p.holdKeys(50)
}

func (p *simPane) holdKeys(times int) {
	if times > 0 && p.options["@parley_hold"] != "" {
		p.w.after(100*time.Millisecond, func() { p.holdKeys(times - 1) })
		return
	}
	delete(p.options, "@parley_hold")
	for _, give := range p.held {
		give()
	}
	p.held = nil
}

// expand expands the formats in a text.
func (p *simPane) expand(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "#{")
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := closing(text, at+2)
		b.WriteString(text[:at])
		b.WriteString(p.format(text[at+2 : end]))
		text = text[end+1:]
	}
}

// closing returns the index of the brace that closes the format whose inside begins at i.
func closing(s string, i int) int {
	for depth := 1; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic("the simulated tmux found no end of " + s)
}

// format evaluates what stands between "#{" and "}".
func (p *simPane) format(inner string) string {
	operator, rest, ok := strings.Cut(inner, ":")
	if !ok {
		return p.variable(inner)
	}
	if operator == "q" {
		return p.variable(rest)
	}

	at := comma(rest)
	a, b := p.expand(rest[:at]), p.expand(rest[at+1:])
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	switch operator {
	case "||":
		return digit(isTrue(a) || isTrue(b))
	case "&&":
		return digit(isTrue(a) && isTrue(b))
	case "!=":
		return digit(a != b)
	case "==":
		return digit(a == b)
	case "e|>=":
		return digit(int(x) >= int(y)) // whole numbers
	}
	panic("the simulated tmux does not know the operator " + operator)
}

// comma returns the index of the comma between two operands.
func comma(s string) int {
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		case s[i] == ',' && depth == 0:
			return i
		}
	}
	panic("the simulated tmux found no comma in " + s)
}

func isTrue(s string) bool { return s != "" && s != "0" }

func digit(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

// variable returns the value of a format's variable. In a pane that has gone it is empty.
func (p *simPane) variable(name string) string {
	pid, start, _ := strings.Cut(p.w.instance, "/")
	switch name {
	case "pid":
		return pid
	case "start_time":
		return start
	}
	if p.gone {
		return ""
	}

	switch name {
	case "pane_id":
		return p.id
	case "pane_dead":
		return digit(p.dead)
	case "pane_input_off":
		return digit(p.inputOff)
	case "pane_synchronized":
		return digit(p.shared)
	case "pane_in_mode":
		return digit(p.mode)
	case "session_attached":
		return digit(p.attached)
	case "window_active", "pane_active":
		return "1"
	case "session_activity":
		return strconv.FormatInt(p.activity.Unix(), 10)
	}
	if strings.HasPrefix(name, "@") {
		return p.options[name]
	}
	panic("the simulated tmux does not know " + name)
}

// simCommand is one command of a line: words, and blocks in braces.
type simCommand struct {
	words  []string
	blocks [][]simCommand
}

func (c simCommand) last() string { return c.words[len(c.words)-1] }

func (c simCommand) has(flag string) bool { return c.flag(flag) != "" }

// flag returns the word after a flag.
func (c simCommand) flag(name string) string {
	for i, word := range c.words[1:] {
		if word == name {
			return c.words[min(i+2, len(c.words)-1)]
		}
	}
	return ""
}

var errLine = errors.New("the simulated tmux cannot read the line")

// parseLine reads a command line.
func parseLine(line string) ([]simCommand, error) {
	r := lineReader{rest: line}
	commands := r.commands()
	if r.rest != "" {
		return nil, fmt.Errorf("%w %q at %q", errLine, line, r.rest)
	}
	return commands, nil
}

type lineReader struct{ rest string }

func (r *lineReader) commands() (commands []simCommand) {
	var c simCommand
	end := func() {
		if len(c.words) > 0 {
			commands = append(commands, c)
		}
		c = simCommand{}
	}
	for {
		r.rest = strings.TrimLeft(r.rest, " ")
		switch {
		case r.rest == "" || r.rest[0] == '}':
			r.rest = strings.TrimPrefix(r.rest, "}")
			end()
			return commands
		case r.rest[0] == ';':
			r.rest = r.rest[1:]
			end()
		case r.rest[0] == '{':
			r.rest = r.rest[1:]
			c.blocks = append(c.blocks, r.commands())
		case r.rest[0] == '"':
			c.words = append(c.words, r.quoted())
		default:
			at := strings.IndexByte(r.rest+" ", ' ')
			c.words = append(c.words, r.rest[:at])
			r.rest = r.rest[at:]
		}
	}
}

func (r *lineReader) quoted() string {
	var b strings.Builder
	i := 1
	for ; i < len(r.rest) && r.rest[i] != '"'; i++ {
		switch {
		case r.rest[i] != '\\':
			b.WriteByte(r.rest[i])
		case r.rest[i+1] >= '0' && r.rest[i+1] <= '3':
			n, _ := strconv.ParseUint(r.rest[i+1:i+4], 8, 8)
			b.WriteByte(byte(n))
			i += 3
		default:
			i++
			b.WriteByte(r.rest[i])
		}
	}
	r.rest = r.rest[min(i+1, len(r.rest)):]
	return b.String()
}

func TestSimulatedTmuxReadsItsLines(t *testing.T) {
	w := &world{instance: "7/9"}
	p := &simPane{w: w, id: "%1", options: map[string]string{"@parley_seq": "5.1"}, attached: true}
	for text, want := range map[string]string{
		"#{e|>=:#{@parley_seq},5}":                       "1",
		"#{e|>=:#{@parley_seq},6}":                       "0",
		"#{!=:#{pid}/#{start_time},7/9}":                 "0",
		"#{||:#{pane_dead},#{!=:#{@parley_seq},5.1}}":    "0",
		"x #{pane_id}|#{q:@parley_agent}|#{@parley_seq}": "x %1||5.1",
	} {
		if got := p.expand(text); got != want {
			t.Errorf("%s expands to %q, want %q", text, got, want)
		}
	}
	out := p.run(must(parseLine(`if-shell -F -t %1 "#{pane_dead}" { display-message -p no } { set-option -p -t %1 @a 1 ; ` +
		`display-message -p "T \"\303\244 #{@a}" }`)))
	if want := `T "ä 1`; out != want {
		t.Errorf("the line printed %q, want %q", out, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

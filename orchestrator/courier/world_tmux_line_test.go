package courier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// format is a text with tmux's formats in it, read once.
type format []formatPart

// formatPart is a text, a variable, or an operator with its operands.
type formatPart struct {
	text, variable string
	op             *operation
}

type operation struct {
	operator string
	a, b, c  format
}

// formats are those that were read. Nearly the same ones stand in all lines.
type formats map[string]format

const manyFormats = 10_000 // remembered

// read reads the formats in a text.
func (known formats) read(text string) (f format) {
	if f, ok := known[text]; ok {
		return f
	}
	if len(known) >= manyFormats {
		clear(known)
	}
	whole := text
	for text != "" {
		before, _, ok := strings.Cut(text, "#{")
		if before != "" {
			f = append(f, formatPart{text: before})
		}
		if !ok {
			break
		}
		end := closing(text, len(before)+2)
		f = append(f, known.readPart(text[len(before)+2:end]))
		text = text[end+1:]
	}
	known[whole] = f
	return f
}

// readPart reads what stands between "#{" and "}".
func (known formats) readPart(inner string) formatPart {
	if condition, ok := strings.CutPrefix(inner, "?"); ok {
		return known.readChoice(condition)
	}
	if strings.HasPrefix(inner, rowOf) {
		return formatPart{variable: inner}
	}
	operator, rest, ok := strings.Cut(inner, ":")
	if !ok {
		return formatPart{variable: inner}
	}
	if strings.HasPrefix(operator, "s/") { // escapes what no name in this world has
		return formatPart{variable: rest}
	}
	at := comma(rest)
	return formatPart{op: &operation{operator: operator, a: known.read(rest[:at]), b: known.read(rest[at+1:])}}
}

// readChoice reads a variable, what stands for it if it is true, and what if not.
func (known formats) readChoice(inner string) formatPart {
	name, rest, _ := strings.Cut(inner, ",")
	at := comma(rest)
	return formatPart{op: &operation{"?", format{{variable: name}}, known.read(rest[:at]), known.read(rest[at+1:])}}
}

// expand expands a format.
func (p *simPane) expand(f format) string {
	var b strings.Builder
	for i := range f {
		switch part := &f[i]; {
		case part.variable != "":
			b.WriteString(p.variable(part.variable))
		case part.op != nil:
			b.WriteString(p.evaluate(part.op))
		default:
			b.WriteString(part.text)
		}
	}
	return b.String()
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

// evaluate applies an operator.
func (p *simPane) evaluate(o *operation) string {
	a, b := p.expand(o.a), p.expand(o.b)
	switch o.operator {
	case "?":
		if isTrue(a) {
			return b
		}
		return p.expand(o.c)
	case "||":
		return digit(isTrue(a) || isTrue(b))
	case "&&":
		return digit(isTrue(a) && isTrue(b))
	case "!=":
		return digit(a != b)
	case "==":
		return digit(a == b)
	case "e|>=": // whole numbers
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return digit(int(x) >= int(y))
	}
	panic("the simulated tmux does not know the operator " + o.operator)
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

	if pattern, ok := strings.CutPrefix(name, rowOf); ok {
		return p.rowOf(pattern)
	}
	switch name {
	case "alternate_on":
		return "0"
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
	if strings.HasPrefix(name, "PARLEY_") {
		return p.w.environment[name]
	}
	panic("the simulated tmux does not know " + name)
}

// simCommand is one command of a line: words, and blocks in braces.
type simCommand struct {
	words   []string
	formats map[int]format // of the words that have one
	blocks  [][]simCommand
}

// expanded returns a word with its formats expanded.
func (c *simCommand) expanded(p *simPane, i int) string {
	if f, ok := c.formats[i]; ok {
		return p.expand(f)
	}
	return c.words[i]
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
func parseLine(line string, known formats) ([]simCommand, error) {
	r := lineReader{line, known}
	commands := r.commands()
	if r.rest != "" {
		return nil, fmt.Errorf("%w %q at %q", errLine, line, r.rest)
	}
	return commands, nil
}

type lineReader struct {
	rest    string
	formats formats
}

func (r *lineReader) commands() (commands []simCommand) {
	var c simCommand
	end := func() {
		if len(c.words) > 0 {
			r.readFormats(&c)
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

func (r *lineReader) readFormats(c *simCommand) {
	for i, word := range c.words {
		if strings.Contains(word, "#{") {
			if c.formats == nil {
				c.formats = map[int]format{}
			}
			c.formats[i] = r.formats.read(word)
		}
	}
}

func (r *lineReader) quoted() string {
	var b strings.Builder
	rest := r.rest[1:]
	for {
		plain := strings.IndexAny(rest, `"\`)
		if plain < 0 {
			r.rest = ""
			return b.String() + rest
		}
		b.WriteString(rest[:plain])
		if rest[plain] == '"' {
			r.rest = rest[plain+1:]
			return b.String()
		}

		rest = rest[plain+1:]
		if rest[0] >= '0' && rest[0] <= '3' {
			n, _ := strconv.ParseUint(rest[:3], 8, 8)
			b.WriteByte(byte(n))
			rest = rest[3:]
		} else {
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
}

func TestSimulatedTmuxReadsItsLines(t *testing.T) {
	w := &world{simServer: simServer{instance: "7/9", environment: map[string]string{"PARLEY_SEQ_1": "6.2"}}}
	p := &simPane{w: w, id: "%1", options: map[string]string{"@parley_seq": "5.1"}, attached: true}
	for text, want := range map[string]string{
		"#{e|>=:#{@parley_seq},5}":                                       "1",
		"#{e|>=:#{@parley_seq},6}":                                       "0",
		"#{?PARLEY_SEQ_1,#{PARLEY_SEQ_1},#{@parley_seq}}":                "6.2",
		"#{!=:#{?PARLEY_SEQ_2,#{PARLEY_SEQ_2},#{@parley_seq}},5.1}":      "0",
		"#{!=:#{pid}/#{start_time},7/9}":                                 "0",
		"#{||:#{pane_dead},#{!=:#{@parley_seq},5.1}}":                    "0",
		"x #{pane_id}|#{s/~/~0/;s/[|]/~1/:@parley_agent}|#{@parley_seq}": "x %1||5.1",
	} {
		if got := p.expand(formats{}.read(text)); got != want {
			t.Errorf("%s expands to %q, want %q", text, got, want)
		}
	}
	out, _ := p.run(must(parseLine(`if-shell -F -t %1 "#{pane_dead}" { display-message -p no } { set-option -p -t %1 @a 1 ; `+
		`display-message -p "T \"\303\244 #{@a}" }`, formats{})))
	if want := `T "ä 1`; out != want {
		t.Errorf("the line printed %q, want %q", out, want)
	}

	out, failed := p.run(must(parseLine(`if-shell -F -t %1 "1" { display-message -p no } ; if-shell -F -t %1 "1" nonsense ; `+
		`display-message -p yes`, formats{})))
	if out != "no" || !failed {
		t.Errorf("a refused line printed %q, failed %v, want \"no\"", out, failed)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

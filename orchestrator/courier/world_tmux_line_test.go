package courier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

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

// lines remembers lines that were read: many stories type the same ones.
type lines struct {
	mu   sync.Mutex
	read map[string][]simCommand
}

func (l *lines) parse(line string) ([]simCommand, error) {
	l.mu.Lock()
	known, ok := l.read[line]
	l.mu.Unlock()
	if ok {
		return known, nil
	}

	commands, err := parseLine(line)
	if err != nil {
		return nil, err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read == nil || len(l.read) >= manyScreens {
		l.read = map[string][]simCommand{}
	}
	l.read[line] = commands
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
	out, _ := p.run(must(parseLine(`if-shell -F -t %1 "#{pane_dead}" { display-message -p no } { set-option -p -t %1 @a 1 ; ` +
		`display-message -p "T \"\303\244 #{@a}" }`)))
	if want := `T "ä 1`; out != want {
		t.Errorf("the line printed %q, want %q", out, want)
	}

	out, failed := p.run(must(parseLine(`if-shell -F -t %1 "1" { display-message -p no } ; if-shell -F -t %1 "1" nonsense ; ` +
		`display-message -p yes`)))
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

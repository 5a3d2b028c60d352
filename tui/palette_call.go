package tui

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// operatorHere lets every call pass on this side: the service knows who calls.
var operatorHere = parley.Caller{ID: "?", Operator: true}

// callOp makes the call that is written. It asks first when that ends something.
func (m *model) callOp() tea.Cmd {
	p := &m.palette
	if p.busy {
		return nil
	}

	p.top = 0 // where it says what is wrong
	args, err := parseArgs(p.op, string(p.line))
	if err != nil {
		p.err = err
		return nil
	}

	call, err := p.op.DecodeQuery(args)
	if err != nil {
		p.err = err
		return nil
	}

	p.busy, p.err = true, nil
	name := p.op.Name
	cmd := m.do.operation(name, args, call)
	if p.op.Effect == parley.Destroys {
		p.busy = false
		return m.ask("Really "+name+" "+safeLine(string(p.line))+"? It cannot be undone.", cmd)
	}

	return cmd
}

// operationMsg is what an operation answered.
type operationMsg struct {
	name   string
	answer string
	undo   *undo
	err    error
}

func operate(
	ctx context.Context,
	s parley.Service,
	name string,
	args url.Values,
	call *parley.Invocation,
) operationMsg {
	res, err := call.Call(parley.WithCaller(ctx, operatorHere), s)
	if err != nil {
		return operationMsg{name: name, err: err}
	}
	text, err := json.MarshalIndent(res, "", "  ")
	return operationMsg{name: name, answer: string(text), undo: undoOf(args, res), err: err}
}

// operated shows the answer on a page; what was refused stays to be mended.
func (m *model) operated(msg operationMsg) tea.Cmd {
	m.palette.busy = false
	if msg.err != nil {
		m.daemonGone(msg.err)
		if m.palette.open && m.palette.op != nil {
			m.palette.err = msg.err
		} else {
			m.fail(msg.err)
		}

		return nil
	}

	m.palette.open = false
	m.help = help{open: true, title: msg.name, text: msg.answer}
	if msg.undo != nil {
		m.undo = msg.undo
		m.tell("It is done. u " + msg.undo.does + ".")
	}

	return m.lookSoon()
}

// parseArgs reads `name=value other="two words"`; words without a name stand for
// the required ones in their order, and all behind -- is the command.
func parseArgs(op *parley.Op, text string) (url.Values, error) {
	words, err := splitWords(text)
	if err != nil {
		return nil, err
	}

	args := url.Values{}
	for i, word := range words {
		if word == "--" {
			args["command"] = words[i+1:]
			break
		}

		name, value, named := strings.Cut(word, "=")
		if !named || !known(op, name) {
			name, value = nextField(op, args), word
		}

		if name == "" {
			return nil, parley.Errorf(parley.InvalidArgument, "%q belongs to no argument", parley.CleanLine(word)).
				Suggest("Write name=value, and a value of several words in quotes.")
		}

		args.Add(name, value)
	}

	return args, nil
}

func known(op *parley.Op, name string) bool {
	for _, f := range op.Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

// nextField is the first required argument that is not given yet.
func nextField(op *parley.Op, args url.Values) string {
	for _, f := range op.Fields {
		if f.Required && !args.Has(f.Name) {
			return f.Name
		}
	}
	return ""
}

// splitWords splits at spaces outside double quotes; \" is a quote itself.
func splitWords(text string) ([]string, error) {
	var words []string
	var b strings.Builder
	quoted, any := false, false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && i+1 < len(runes) && (runes[i+1] == '"' || runes[i+1] == '\\'):
			i++
			b.WriteRune(runes[i])
			any = true
		case r == '"':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				words = append(words, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}

	if any {
		words = append(words, b.String())
	}

	if quoted {
		return nil, parley.Errorf(parley.InvalidArgument, "a quote is not closed").
			Suggest(`Close it with ", or write \" for a quote itself.`)
	}

	return words, nil
}

func (m *model) launch() tea.Cmd {
	m.openOp(parley.FindOp("launch_agent"))
	m.palette.line = "name="
	return nil
}

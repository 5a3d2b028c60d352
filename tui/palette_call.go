package tui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/threads"
)

// operatorHere lets every call pass on this side: the service knows who calls.
var operatorHere = parley.Caller{ID: "?", Operator: true}

type operationMsg struct {
	name   string
	answer string // a page; "" if said is all
	said   string // what was done, in a sentence
	undo   *room.Undo
	err    error
}

// callOp makes the call that is written. It asks first if that destroys
// something.
func (p *palette) callOp() tea.Cmd {
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

	p.err = nil
	cmd := p.room.Do.Operate(p.op.Name, args, call)
	if p.op.Effect == op.Destroys {
		question := "Run " + p.op.Name + " " + kit.SafeLine(string(p.line)) + "? It cannot be undone."
		return p.room.Keys.Ask(question, func() tea.Cmd { return cmd })
	}

	p.busy = true

	return cmd
}

func operate(ctx context.Context, s parley.Service, name string, args url.Values, call *op.Invocation) tea.Msg {
	res, err := call.Call(parley.WithCaller(ctx, operatorHere), s)
	if err != nil {
		return operationMsg{name: name, err: err}
	}
	msg := operationMsg{name: name, undo: threads.UndoOf(args, res)}
	if r, ok := res.(interface{ Said() string }); ok && r.Said() != "" {
		msg.said = r.Said()
		return msg
	}
	if msg.answer = viewOf(res); msg.answer == "" {
		msg.answer, msg.err = answerWords(res)
	}
	return msg
}

// answered tells what an operation did, or shows its answer on a page. A refused call stays in the
// palette to be corrected.
func (p *palette) answered(msg operationMsg) tea.Cmd {
	p.busy = false
	if msg.err != nil {
		p.room.Link.Gone(msg.err)
		if p.open && p.op != nil {
			p.err = msg.err
		} else {
			p.room.Fail(msg.err)
		}

		return nil
	}

	p.open = false
	said := msg.said
	if said == "" {
		said, p.room.Keys.Help = "Done.", kit.Help{Open: true, Title: msg.name, Text: msg.answer}
	}
	if msg.undo != nil {
		p.acts.Undo = msg.undo
		said = strings.TrimSuffix(said, ".") + ". " + p.room.Key("u") + " " + msg.undo.Does + "."
	}
	if msg.said != "" || msg.undo != nil {
		p.room.Tell(said)
	}

	return p.room.Link.LookSoon()
}

// parseArgs parses `name=value other="two words"`. Words without a name are the
// required arguments in their order; all words after -- are the command.
func parseArgs(op *op.Op, text string) (url.Values, error) {
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
		if !named || !hasField(op, name) {
			name, value = nextField(op, args), word
		}

		if name == "" {
			return nil, parley.Errorf(parley.InvalidArgument, "%q matches no argument", plain.CleanLine(word)).
				Suggest("Write name=value, with quotes around several words.")
		}

		args.Add(name, value)
	}

	return args, nil
}

func hasField(o *op.Op, name string) bool {
	return slices.ContainsFunc(o.Fields, func(f op.Field) bool { return f.Name == name })
}

// nextField returns the first required argument that is not given yet.
func nextField(op *op.Op, args url.Values) string {
	for _, f := range op.Fields {
		if f.Required && !args.Has(f.Name) {
			return f.Name
		}
	}
	return ""
}

// splitWords splits at spaces outside double quotes. \" is a quote itself.
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

// answerWords puts an operation's answer into lines of names and values. What is empty is
// left out, and so is that it succeeded.
func answerWords(res any) (string, error) {
	text, err := json.Marshal(res)
	if err != nil {
		return "", err
	}

	var b strings.Builder
	if err := writeValue(&b, text, ""); err != nil {
		return "", err
	}
	if b.Len() == 0 {
		return "Done.", nil
	}

	return strings.TrimSuffix(b.String(), "\n"), nil
}

// writeValue writes a JSON value as lines that begin with a margin.
func writeValue(b *strings.Builder, value json.RawMessage, margin string) error {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return err
	}

	for d.More() {
		label := "· "
		if value[0] == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			label = strings.ReplaceAll(fmt.Sprint(name), "_", " ") + ": "
		}

		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return err
		}
		if err := writeItem(b, label, item, margin); err != nil {
			return err
		}
	}

	return nil
}

// writeItem writes a field of an object, or an item of a list.
func writeItem(b *strings.Builder, label string, item json.RawMessage, margin string) error {
	plain := string(item)
	switch {
	case plain == "null" || plain == `""` || plain == "[]" || plain == "{}" || label == "success: ":
		return nil
	case item[0] == '"':
		if err := json.Unmarshal(item, &plain); err != nil {
			return err
		}
	case item[0] == '{' || item[0] == '[':
		var inner strings.Builder
		if err := writeValue(&inner, item, margin+"  "); err != nil || inner.Len() == 0 {
			return err
		}
		if label == "· " { // an item begins on the line of its dot
			b.WriteString(margin + label + strings.TrimPrefix(inner.String(), margin+"  "))
		} else {
			b.WriteString(margin + strings.TrimSuffix(label, " ") + "\n" + inner.String())
		}
		return nil
	case plain == "true" || plain == "false":
		plain = map[string]string{"true": "yes", "false": "no"}[plain]
	}

	b.WriteString(margin + label + strings.ReplaceAll(plain, "\n", "\n"+margin+"  ") + "\n")

	return nil
}

// viewOf returns the answer of an operation as a person reads it, "" if it has no view: it is then told field by field.
func viewOf(res any) string {
	switch res := res.(type) {
	case *parley.UsageResult:
		return usageView(res)
	case *parley.ReadTerminalResult:
		return strings.Join(res.Lines, "\n")
	case *parley.ExplainMessageResult:
		return strings.Join(res.Story, "\n")
	case *parley.DiffAgentResult:
		return cmp.Or(res.Diff, "Nothing has changed.")
	}
	return ""
}

// usageView is a table of what the programs of agents, and models that answer, have used.
func usageView(res *parley.UsageResult) string {
	rows := [][]string{{"agent", "runs", "today", "cost", "in all", "cost", ""}}
	for i := range res.Programs {
		p := &res.Programs[i]
		rows = append(rows, []string{
			kit.SafeLine(p.Agent), kit.SafeLine(p.Program), countWords(p.Today.Total()), costWords(p.Today.Cost),
			countWords(p.Total()), costWords(p.Cost), kit.CodeWords(p.Unknown),
		})
	}
	for i := range res.Agents {
		a := &res.Agents[i]
		rows = append(rows, []string{
			kit.SafeLine(a.Agent), "responder", "", "", countWords(a.InputTokens + a.OutputTokens), "",
			kit.CodeWords(kit.Tally(a.Failures)),
		})
	}
	if len(rows) == 1 {
		return "Nothing has been used yet."
	}

	widths := make([]int, len(rows[0]))
	for i := range widths {
		for _, row := range rows[1:] {
			widths[i] = max(widths[i], kit.Width(row[i]))
		}
		if widths[i] > 0 { // a column in which nothing stands is left out
			widths[i] = max(widths[i], kit.Width(rows[0][i]))
		}
	}

	var lines []string
	for _, row := range rows {
		line := ""
		for i, text := range row {
			if widths[i] > 0 {
				line += kit.Pad(text, widths[i]) + "  "
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// countWords and costWords leave out zeros.
func countWords(n int64) string {
	if n == 0 {
		return ""
	}
	return plain.FormatCount(n)
}

func costWords(cost float64) string {
	if cost == 0 {
		return ""
	}
	return plain.FormatCost(cost)
}
